package wallfinder.sampling;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/// Runs a task that is too expensive for every sample less often.
final class Pace {
    private static final long SECOND = 1_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /// Each end has a handful of such tasks, and all sampling must take less than 1 % of a CPU.
    private static final double SHARE_MAX = 0.00025;

    /// For a task that needs many readings.
    private static final double SHARE_OF_OFTEN_MAX = 2 * SHARE_MAX;

    /// A short run needs more than one reading, even if the first ones are expensive because the
    /// host is slow or the code is not compiled yet. This pays for a few readings of 2.5 ms.
    private static final long CREDIT_NANOS = 8_000_000;

    /// The same for a task that needs many readings: about 30 of 1.5 ms, which is what a walk over
    /// a few sockets takes on a slow host before the code is compiled.
    private static final long CREDIT_OF_OFTEN_NANOS = 40_000_000;

    /// A task spends what it has saved up within about this time, ever more slowly. It is not known
    /// how long a run takes, and a program may open its connections some seconds after the start.
    private static final long SPENDING_NANOS = 5 * SECOND;

    private static final Bounds CHEAP = new Bounds(SECOND, 5 * SECOND, SHARE_MAX, false);

    private static final Bounds WITH_CREDIT = new Bounds(SECOND, 10 * SECOND, SHARE_MAX, false);

    private static final Bounds OFTEN =
            new Bounds(SECOND / 4, 30 * SECOND, SHARE_OF_OFTEN_MAX, true);

    private static final Bounds TWICE_AS_OFTEN =
            new Bounds(SECOND / 8, 30 * SECOND, 2 * SHARE_OF_OFTEN_MAX, true);

    private static final Bounds SELDOM = new Bounds(SECOND, 30 * SECOND, SHARE_MAX, false);

    private final LongSupplier clock;
    private final LongSupplier cpuClock;
    private final Bounds bounds;
    private final long creditNanosMax;
    private final SplittableRandom random = new SplittableRandom(1);
    private double creditNanos;
    private long lastNanos;
    private long nextNanos;
    private boolean forced = true;
    private boolean hurried;

    /// The pause is at least `nanosMin` and at most `nanosMax`. In between it is long enough that
    /// the task takes at most `shareMax` of a CPU. Only CPU time counts, so a busy host changes
    /// nothing.
    ///
    /// @param random whether the smallest pause varies between 0 and twice `nanosMin`, so that the
    ///   task cannot keep step with something that comes back regularly: a batch of requests
    record Bounds(long nanosMin, long nanosMax, double shareMax, boolean random) {}

    /// @param cpuClock the CPU time of the thread
    /// @param creditNanosMax CPU time that the task may take in advance at the beginning, and may
    ///   save up later
    Pace(LongSupplier clock, LongSupplier cpuClock, Bounds bounds, long creditNanosMax) {
        this.clock = clock;
        this.cpuClock = cpuClock;
        this.bounds = bounds;
        this.creditNanosMax = creditNanosMax;
        creditNanos = creditNanosMax;
        lastNanos = clock.getAsLong();
    }

    private static Pace within(LongSupplier clock, Bounds bounds, long creditNanosMax) {
        return new Pace(clock, THREADS::getCurrentThreadCpuTime, bounds, creditNanosMax);
    }

    static Pace everySecond(LongSupplier clock) {
        return within(clock, new Bounds(SECOND, SECOND, 1, false), CREDIT_NANOS);
    }

    /// Once a second, or up to every 5 seconds if it would take more than 0.025 % of a CPU.
    static Pace cheaply(LongSupplier clock) {
        return within(clock, CHEAP, CREDIT_NANOS);
    }

    /// The same, but up to every 10 seconds after some readings in the first seconds. A short
    /// measurement needs more than the first and the last.
    static Pace cheaplyAfterAFew(LongSupplier clock) {
        return within(clock, WITH_CREDIT, CREDIT_OF_OFTEN_NANOS);
    }

    /// The same, but up to every 30 seconds.
    static Pace seldomIfExpensive(LongSupplier clock) {
        return within(clock, SELDOM, CREDIT_NANOS);
    }

    /// Several times a second while that is cheap, otherwise once in up to 30 seconds. With few
    /// connections many readings are needed, because a single one depends on chance.
    static Pace oftenIfCheap(LongSupplier clock) {
        return oftenIfCheap(clock, THREADS::getCurrentThreadCpuTime);
    }

    static Pace oftenIfCheap(LongSupplier clock, LongSupplier cpuClock) {
        return new Pace(clock, cpuClock, OFTEN, CREDIT_OF_OFTEN_NANOS);
    }

    /// With twice the readings and the CPU time of [#oftenIfCheap]: for a task that answers two
    /// questions.
    static Pace twiceAsOftenIfCheap(LongSupplier clock) {
        return within(clock, TWICE_AS_OFTEN, 2 * CREDIT_OF_OFTEN_NANOS);
    }

    void force() {
        forced = true;
    }

    /// From now on, the task is due at each sample until its credit is used up.
    void hurry() {
        hurried = true;
    }

    /// Runs the task if it is due, and returns whether it ran.
    boolean run(Runnable task) {
        long start = clock.getAsLong();
        if (!forced && start - nextNanos < 0) {
            return false;
        }
        long cpuNanos = cpuClock.getAsLong();
        task.run();
        forced = false;
        long costNanos = cpuClock.getAsLong() - cpuNanos;
        creditNanos += bounds.shareMax * (start - lastNanos);
        creditNanos = Math.min(creditNanos, creditNanosMax) - costNanos;
        creditNanos = Math.max(creditNanos, -bounds.shareMax * bounds.nanosMax);
        long nanosMin = hurried ? 0 : smallestNanos();
        nextNanos = start + Math.clamp(pauseNanos(costNanos), nanosMin, bounds.nanosMax);
        lastNanos = start;
        return true;
    }

    /// Until the credit is back at zero, or, while there is credit, so that a part of it goes.
    private long pauseNanos(long costNanos) {
        if (creditNanos <= 0) {
            return (long) (-creditNanos / bounds.shareMax);
        }
        return hurried ? 0 : (long) (costNanos / (bounds.shareMax + creditNanos / SPENDING_NANOS));
    }

    private long smallestNanos() {
        return bounds.random ? random.nextLong(2 * bounds.nanosMin) : bounds.nanosMin;
    }
}
