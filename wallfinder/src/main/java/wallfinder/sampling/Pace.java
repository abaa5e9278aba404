package wallfinder.sampling;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.LongSupplier;

/// Tells when something that costs too much for every sample is due again.
final class Pace {
    private static final long SECOND = 1_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /// There are a handful of these at each end, and all sampling is to take less than 1 % of a
    /// CPU.
    private static final double SHARE_MAX = 0.0005;

    private static final Bounds CHEAP = new Bounds(SECOND, 5 * SECOND, SHARE_MAX);
    private static final Bounds SELDOM = new Bounds(SECOND, 30 * SECOND, SHARE_MAX);

    private final LongSupplier clock;
    private final LongSupplier cpuClock;
    private final Bounds bounds;
    private final Bounds ofDear;
    private final long dearNanos;
    private long nextNanos;
    private long costNanos;
    private boolean forced = true;

    /// It is never due more often than after `nanosMin`, nor less often than after `nanosMax`, and
    /// in between as its share of a CPU allows: on a busy host it takes longer, and costs no more
    /// for it.
    record Bounds(long nanosMin, long nanosMax, double shareMax) {
        private long pause(long costNanos) {
            return Math.clamp((long) (costNanos / shareMax), nanosMin, nanosMax);
        }
    }

    /// @param cpuClock what the thread has used so far
    /// @param ofDear the bounds from when it took `dearNanos` of a CPU twice in a row: the first
    ///   time its code is not compiled yet
    Pace(LongSupplier clock, LongSupplier cpuClock, Bounds bounds, Bounds ofDear, long dearNanos) {
        this.clock = clock;
        this.cpuClock = cpuClock;
        this.bounds = bounds;
        this.ofDear = ofDear;
        this.dearNanos = dearNanos;
    }

    private static Pace within(LongSupplier clock, Bounds bounds) {
        return new Pace(clock, THREADS::getCurrentThreadCpuTime, bounds, bounds, Long.MAX_VALUE);
    }

    /// Once a second.
    static Pace everySecond(LongSupplier clock) {
        return within(clock, new Bounds(SECOND, SECOND, 1));
    }

    /// Once a second, or as seldom as every 5 seconds where it would take more than 0.07 % of a
    /// CPU.
    static Pace cheaply(LongSupplier clock) {
        return within(clock, CHEAP);
    }

    /// The same, but as seldom as every 30 seconds where it is dear.
    static Pace seldomIfDear(LongSupplier clock, long dearNanos) {
        return new Pace(clock, THREADS::getCurrentThreadCpuTime, CHEAP, SELDOM, dearNanos);
    }

    /// The next time it is due at once.
    void force() {
        forced = true;
    }

    /// Does it if it is due.
    ///
    /// @return whether it was done
    boolean run(Runnable task) {
        long start = clock.getAsLong();
        if (!forced && start - nextNanos < 0) {
            return false;
        }
        boolean wasDear = costNanos >= dearNanos;
        long cpuNanos = cpuClock.getAsLong();
        task.run();
        forced = false;
        costNanos = cpuClock.getAsLong() - cpuNanos;
        Bounds now = wasDear && costNanos >= dearNanos ? ofDear : bounds;
        nextNanos = start + now.pause(costNanos);
        return true;
    }
}
