package wallfinder.lab.trial;

import java.time.Duration;

/// Whether connections that are being opened still get their first answers. A service that has no
/// room for more leaves them in its queue, and each would wait for its whole time-out, a few at a
/// time.
final class OpeningWatch {
    /// Beyond a time-out, so that those which wait have failed before it ends.
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

    /// Whether nobody got a first answer for longer than a time-out, while some failed.
    ///
    /// @param firstAnswers so far
    /// @param failed connections so far
    boolean stalled(long nowNanos, long firstAnswers, long failed) {
        if (firstAnswers > answered) {
            answered = firstAnswers;
            failedBefore = failed;
            sinceNanos = nowNanos;
        }
        return nowNanos - sinceNanos >= nanosMax && failed > failedBefore;
    }

    /// What happens, in words.
    String describe(long nowNanos, long open, long failed) {
        return "%,d of %,d connections were answered, none for %d s; %,d wait for a first answer, %,d failed"
                .formatted(
                        answered,
                        connections,
                        (nowNanos - sinceNanos) / 1_000_000_000L,
                        Math.max(0, open - answered),
                        failed);
    }

    /// Whether nobody was answered for so long that it is worth telling.
    boolean waits(long nowNanos) {
        return nowNanos - sinceNanos >= MARGIN_NANOS;
    }
}
