package wallfinder.load;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome.Hold;

/// What one thread counts of its held connections, in addition to [Tally].
final class HeldTally {
    /// How many failures of each thread are described in words.
    private static final int FAULTS_MAX = 4;

    final Histogram firstAnswerNanos;
    final List<String> faults = new ArrayList<>();
    final SortedMap<String, Long> fates = new TreeMap<>();
    long reopened;
    final Tally tally;
    private long connectsFailed;
    private long endedOpen;
    private @Nullable Opening opening;

    /// Whether every connection has been established, or has failed.
    boolean settled;

    /// @param tally of the same thread
    /// @param digits precision of the histogram
    HeldTally(Tally tally, int digits) {
        this.tally = tally;
        firstAnswerNanos = Tally.histogram(digits);
    }

    /// A correct answer has arrived.
    ///
    /// @param first whether it is the connection's first answer; all first messages are sent at
    ///   once
    void answered(boolean first, long serviceNanos, long lateNanos) {
        long service = Math.max(0, serviceNanos);
        if (first) {
            tally.answered++;
            firstAnswerNanos.recordValue(Math.min(service, Tally.NANOS_MAX));
        } else {
            tally.answered(service + lateNanos, service);
        }
    }

    /// A connection has ended.
    ///
    /// @param connecting whether it was never established
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

    /// The times of messages while connections were being opened.
    private record Opening(Histogram response, Histogram service, Histogram late, long waited) {
        static Opening of(Tally tally) {
            return new Opening(
                    tally.responseNanos.copy(),
                    tally.serviceNanos.copy(),
                    tally.lateNanos.copy(),
                    tally.waited);
        }

        void leaveOut(Tally tally) {
            tally.responseNanos.subtract(response);
            tally.serviceNanos.subtract(service);
            tally.lateNanos.subtract(late);
            tally.waited -= waited;
        }
    }

    /// Answers from now on do not belong to the opening.
    void settle(ConnectionOpening all) {
        if (!settled && all.complete()) {
            settled = true;
            opening = Opening.of(tally);
        }
    }

    /// Leaves out the times of messages while connections were being opened. Until then the times
    /// grow from the beginning on, for those who watch them.
    void leaveOutOpening() {
        if (opening != null) {
            opening.leaveOut(tally);
            opening = null;
        }
    }

    /// Counts the fates of all connections and checks them against the counts of the run.
    ///
    /// @param fate a word of [Hold] or of an [ErrorKind]
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
