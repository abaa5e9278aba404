package wallfinder.load;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import wallfinder.observation.ErrorKind;
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
    void account(HeldConnections connections, Tally tally) {
        long alive = 0;
        long connecting = 0;
        for (int slot = 0; slot < connections.size(); slot++) {
            fates.merge(fate(connections, slot), 1L, Long::sum);
            alive += connections.alive(slot) ? 1 : 0;
            connecting += connections.state(slot) == HeldConnections.CONNECTING ? 1 : 0;
        }
        long unopened = fates.getOrDefault(Hold.UNOPENED, 0L);
        long tried = connections.size() - unopened + reopened;
        if (alive != tally.opened - endedOpen
                || tried != tally.opened + connectsFailed + connecting) {
            throw new IllegalStateException(
                    "%s, but %d tried, %d opened, %d ended, %d connects failed"
                            .formatted(fates, tried, tally.opened, endedOpen, connectsFailed));
        }
    }

    private static String fate(HeldConnections connections, int slot) {
        ErrorKind why = connections.why(slot);
        if (why != null) {
            return why.word();
        }
        return connections.alive(slot)
                ? Hold.ALIVE
                : connections.open(slot) ? Hold.CONNECTING : Hold.UNOPENED;
    }
}
