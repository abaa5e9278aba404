package wallfinder.load;

import wallfinder.experiment.HoldSpec;

/// When the messages of a connection are due, and when the connection must be checked.
///
/// A connection is in one list of a [TimingWheel] and is never taken out, so the wheel must wake it
/// before the next message is due and before the current one times out.
final class MessageTimes {
    /// The shortest time between two checks of a slow connection.
    private static final long LOOK_NANOS_MIN = 10_000_000L;

    private final long intervalNanos;
    private final long jitterNanos;
    private final long timeoutNanos;
    private final long connectTimeoutNanos;
    private final long seed;

    MessageTimes(HoldSpec spec, long seed) {
        HoldSpec.Messages messages = spec.messages();
        boolean asks = messages.kind() == HoldSpec.Kind.ECHO;
        intervalNanos = asks ? messages.interval().toNanos() : 0;
        jitterNanos = messages.jitter().toNanos();
        timeoutNanos = LoadPlan.nanos(messages.timeout());
        connectTimeoutNanos = LoadPlan.nanos(spec.opening().timeout());
        this.seed = seed;
    }

    /// Whether the clock decides when messages are due.
    boolean paced() {
        return intervalNanos > 0;
    }

    long connectDeadline(long sinceNanos) {
        return sinceNanos + connectTimeoutNanos;
    }

    long deadline(long sentNanos) {
        return sentNanos + timeoutNanos;
    }

    /// When the message after the current one is due.
    ///
    /// @param first whether the current one is the first of the connection
    long next(boolean first, long sentNanos, long lateNanos, long message) {
        return first ? afterFirst(sentNanos, message) : after(sentNanos, lateNanos, message);
    }

    /// When the message after the first one is due: after a random part of the interval, so that
    /// messages spread evenly however the connections were opened.
    long afterFirst(long sentNanos, long message) {
        return sentNanos + phaseNanos(message);
    }

    /// When the message after a later one is due. A late message delays the next one, which comes
    /// at least half an interval after it.
    long after(long sentNanos, long lateNanos, long message) {
        long jitter = jitterNanos == 0 ? 0 : (long) (jitterNanos * (2 * random(message) - 1));
        return sentNanos - Math.min(lateNanos, intervalNanos / 2) + intervalNanos + jitter;
    }

    /// When to check a connection that begins to connect.
    long lookWhileOpening(long nowNanos, long sinceNanos, long message) {
        long soonest = Math.min(nowNanos + timeoutNanos, connectDeadline(sinceNanos));
        return paced() ? Math.min(soonest, nowNanos + phaseNanos(message)) : soonest;
    }

    /// When to check a connection whose message has no answer yet.
    ///
    /// @param next when the next message is due
    long lookWhileAsking(long nowNanos, long sentNanos, long next) {
        long deadline = deadline(sentNanos);
        if (!paced()) {
            return deadline;
        }
        long slow = Math.max(LOOK_NANOS_MIN, intervalNanos / 2 - jitterNanos);
        return Math.min(deadline, next - nowNanos > 0 ? next : nowNanos + slow);
    }

    private long phaseNanos(long message) {
        long least = Math.min(intervalNanos, LOOK_NANOS_MIN);
        return Math.max(least, (long) (intervalNanos * random(message)));
    }

    /// Between 0 and 1, always the same for the same message.
    private double random(long message) {
        return (SplitMix64.mix(seed + message) >>> 11) * 0x1.0p-53;
    }
}
