package wallfinder.sampling;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.LongSupplier;

/// Tells when something that costs too much for every sample is due again.
final class Pace {
    private static final long SECOND = 1_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final LongSupplier clock;
    private final LongSupplier cpuClock;
    private final long nanosMin;
    private final long nanosMax;
    private final double shareMax;
    private long nextNanos;
    private long costNanos;
    private boolean forced = true;

    /// @param cpuClock what the thread has used so far
    /// @param nanosMin it is never due more often
    /// @param nanosMax nor less often
    /// @param shareMax the share of a CPU it may take, between those two; on a busy host it takes
    ///   longer, and costs no more for it
    Pace(LongSupplier clock, LongSupplier cpuClock, long nanosMin, long nanosMax, double shareMax) {
        this.clock = clock;
        this.cpuClock = cpuClock;
        this.nanosMin = nanosMin;
        this.nanosMax = nanosMax;
        this.shareMax = shareMax;
    }

    /// Once a second.
    static Pace everySecond(LongSupplier clock) {
        return new Pace(clock, THREADS::getCurrentThreadCpuTime, SECOND, SECOND, 1);
    }

    /// Once a second, or as seldom as every 5 seconds where it would take more than 0.07 % of a CPU.
    static Pace cheaply(LongSupplier clock) {
        return new Pace(clock, THREADS::getCurrentThreadCpuTime, SECOND, 5 * SECOND, 0.0007);
    }

    /// Once a second, or as seldom as every 30 seconds where it would take more than 0.05 % of a
    /// CPU.
    static Pace seldom(LongSupplier clock) {
        return new Pace(clock, THREADS::getCurrentThreadCpuTime, SECOND, 30 * SECOND, 0.0005);
    }

    /// The next time it is due at once.
    void force() {
        forced = true;
    }

    /// What it took of a CPU the last time; 0 before the first.
    long costNanos() {
        return costNanos;
    }

    /// Does it if it is due.
    ///
    /// @return whether it was done
    boolean run(Runnable task) {
        long start = clock.getAsLong();
        if (!forced && start - nextNanos < 0) {
            return false;
        }
        long cpuNanos = cpuClock.getAsLong();
        task.run();
        forced = false;
        costNanos = cpuClock.getAsLong() - cpuNanos;
        nextNanos = start + Math.clamp((long) (costNanos / shareMax), nanosMin, nanosMax);
        return true;
    }
}
