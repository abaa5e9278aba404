package wallfinder.lab.trial;

import java.time.Duration;

/// Watches whether new connections still get their first answers. A full service leaves new
/// connections in its backlog. Each of them then waits for its whole time-out, a few at a time.
final class OpeningWatch {
    /// The wait beyond a time-out, so that waiting connections fail first.
    private static final long MARGIN_NANOS = 1_000_000_000L;

    private final int connections;
    private final long nanosMax;
    private long answered;
    private long failedBefore;
    private long sinceNanos;

    /// @param timeout how long a connection may wait for its first answer
    OpeningWatch(int connections, Duration timeout, long nowNanos) {
        this.connections = connections;
        nanosMax = timeout.toNanos() + MARGIN_NANOS;
        sinceNanos = nowNanos;
    }

    /// Whether no connection got a first answer for longer than a time-out, and some failed.
    ///
    /// @param firstAnswers the first answers so far
    /// @param failed the failed connections so far
    boolean stalled(long nowNanos, long firstAnswers, long failed) {
        if (firstAnswers > answered) {
            answered = firstAnswers;
            failedBefore = failed;
            sinceNanos = nowNanos;
        }
        return nowNanos - sinceNanos >= nanosMax && failed > failedBefore;
    }

    String describe(long nowNanos, long open, long failed) {
        return "%,d of %,d connections were answered, none for %d s; %,d wait for a first answer, %,d failed"
                .formatted(
                        answered,
                        connections,
                        (nowNanos - sinceNanos) / 1_000_000_000L,
                        Math.max(0, open - answered),
                        failed);
    }

    /// Whether the most recent first answer was long enough ago to report it.
    boolean waits(long nowNanos) {
        return nowNanos - sinceNanos >= MARGIN_NANOS;
    }
}
