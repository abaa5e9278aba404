package wallfinder.load;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
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
    final Tally tally;
    private long connectsFailed;
    private long endedOpen;
    private long answeredOpening;

    /// Whether every connection has been established, or has failed.
    boolean settled;

    /// @param tally of the same thread, which this goes on with
    /// @param digits of the histogram
    HeldTally(Tally tally, int digits) {
        this.tally = tally;
        firstAnswerNanos = Tally.histogram(digits);
    }

    /// An answer has come as it should.
    ///
    /// @param first whether it is a connection's first one: all of these come at once
    void answered(boolean first, long serviceNanos, long lateNanos) {
        long service = Math.max(0, serviceNanos);
        if (first) {
            tally.answered++;
            firstAnswerNanos.recordValue(Math.min(service, Tally.NANOS_MAX));
        } else {
            tally.answered(service + lateNanos, service);
        }
    }

    /// A connection is gone.
    ///
    /// @param connecting whether it never stood
    /// @param number of the connection in the whole run
    void ended(boolean connecting, long number, ErrorKind why, String how) {
        if (connecting) {
            connectsFailed++;
        } else {
            endedOpen++;
            tally.open--;
        }
        if (faults.size() < FAULTS_MAX) {
            faults.add("connection %d: %s (%s)".formatted(number, why.word(), how));
        }
    }

    /// What comes from now on is not of the opening.
    void settle(ConnectionOpening opening) {
        if (!settled && opening.complete()) {
            settled = true;
            answeredOpening = tally.answered;
        }
    }

    /// Messages answered after every connection had been tried.
    long answeredSettled() {
        return settled ? tally.answered - answeredOpening : 0;
    }

    /// Looks at each connection, and holds what it sees against what was counted on the way.
    ///
    /// @param fate of a connection: a word of [Hold], or of an [ErrorKind]
    void account(int connections, IntFunction<String> fate) {
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
