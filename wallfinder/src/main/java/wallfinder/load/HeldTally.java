package wallfinder.load;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import wallfinder.observation.LoadOutcome.Hold;

/// What one thread counts of its connections beside [Tally].
final class HeldTally {
    /// The first failures are told in words, this many of each thread.
    private static final int FAULTS_MAX = 4;

    final Histogram firstAnswerNanos;
    final List<String> faults = new ArrayList<>();
    final SortedMap<String, Long> fates = new TreeMap<>();
    long reopened;
    long connectsFailed;
    long endedOpen;

    /// Messages answered before every connection had been tried.
    long answeredOpening;

    /// @param digits of the histogram
    HeldTally(int digits) {
        firstAnswerNanos = Tally.histogram(digits);
    }

    boolean wantsFaults() {
        return faults.size() < FAULTS_MAX;
    }

    /// Looks at each connection, and holds what it sees against what was counted on the way.
    ///
    /// @param fate of a connection: a word of [Hold], or of an [ErrorKind]
    void account(int connections, IntFunction<String> fate, Tally tally) {
        for (int slot = 0; slot < connections; slot++) {
            fates.merge(fate.apply(slot), 1L, Long::sum);
        }
        long alive = fates.getOrDefault(Hold.ALIVE, 0L);
        long connecting = fates.getOrDefault(Hold.CONNECTING, 0L);
        long tried = connections - fates.getOrDefault(Hold.UNOPENED, 0L) + reopened;
        if (alive != tally.opened - endedOpen
                || tried != tally.opened + connectsFailed + connecting) {
            throw new IllegalStateException(
                    "%s, but %d tried, %d opened, %d ended, %d connects failed"
                            .formatted(fates, tried, tally.opened, endedOpen, connectsFailed));
        }
    }
}
