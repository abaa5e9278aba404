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

    /// A short run has to be looked at more than once, also where its first looks are dear, because
    /// their code is not compiled yet or the host is slow: a few of 2.5 ms are for nothing.
    private static final long CREDIT_NANOS = 8_000_000;

    private static final Bounds CHEAP = new Bounds(SECOND, 5 * SECOND, SHARE_MAX);
    private static final Bounds OFTEN = new Bounds(SECOND / 10, 5 * SECOND, SHARE_MAX);
    private static final Bounds SELDOM = new Bounds(SECOND, 30 * SECOND, SHARE_MAX);

    private final LongSupplier clock;
    private final LongSupplier cpuClock;
    private final Bounds bounds;
    private final Bounds ofDear;
    private final long dearNanos;
    private final long creditNanosMax;
    private Bounds now;
    private double creditNanos;
    private long lastNanos;
    private long nextNanos;
    private long costNanos;
    private boolean forced = true;

    /// It is never due more often than after `nanosMin`, nor less often than after `nanosMax`, and
    /// in between as its share of a CPU allows: on a busy host it takes longer, and costs no more
    /// for it.
    record Bounds(long nanosMin, long nanosMax, double shareMax) {}

    /// @param cpuClock what the thread has used so far
    /// @param ofDear the bounds from when it took `dearNanos` of a CPU twice in a row
    /// @param creditNanosMax what it may take of a CPU before its share of it counts, at the
    ///   beginning and when it has taken less than that
    Pace(
            LongSupplier clock,
            LongSupplier cpuClock,
            Bounds bounds,
            Bounds ofDear,
            long dearNanos,
            long creditNanosMax) {
        this.clock = clock;
        this.cpuClock = cpuClock;
        this.bounds = bounds;
        this.ofDear = ofDear;
        this.dearNanos = dearNanos;
        this.creditNanosMax = creditNanosMax;
        now = bounds;
        creditNanos = creditNanosMax;
        lastNanos = clock.getAsLong();
    }

    private static Pace within(LongSupplier clock, Bounds bounds, Bounds ofDear, long dearNanos) {
        return new Pace(
                clock, THREADS::getCurrentThreadCpuTime, bounds, ofDear, dearNanos, CREDIT_NANOS);
    }

    /// Once a second.
    static Pace everySecond(LongSupplier clock) {
        Bounds always = new Bounds(SECOND, SECOND, 1);
        return within(clock, always, always, Long.MAX_VALUE);
    }

    /// Once a second, or as seldom as every 5 seconds where it would take more than 0.05 % of a
    /// CPU.
    static Pace cheaply(LongSupplier clock) {
        return within(clock, CHEAP, CHEAP, Long.MAX_VALUE);
    }

    /// The same, but as seldom as every 30 seconds where it is dear.
    static Pace seldomIfDear(LongSupplier clock, long dearNanos) {
        return within(clock, CHEAP, SELDOM, dearNanos);
    }

    /// As often as it is sampled while that is cheap, and as [#seldomIfDear] where it is not: a few
    /// looks at a few connections are chance.
    static Pace oftenIfCheap(LongSupplier clock, long dearNanos) {
        return within(clock, OFTEN, SELDOM, dearNanos);
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
        creditNanos += now.shareMax * (start - lastNanos);
        creditNanos = Math.min(creditNanos, creditNanosMax) - costNanos;
        now = wasDear && costNanos >= dearNanos ? ofDear : bounds;
        creditNanos = Math.max(creditNanos, -now.shareMax * now.nanosMax);
        long pause = (long) (-creditNanos / now.shareMax);
        nextNanos = start + Math.clamp(pause, now.nanosMin, now.nanosMax);
        lastNanos = start;
        return true;
    }
}
