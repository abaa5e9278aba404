package wallfinder.load;

import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/// Measures how late this host wakes an idle thread during a measurement. Delays of that length are
/// not necessarily the fault of what is measured.
final class HostNoise implements AutoCloseable {
    private static final long SLEEP_NANOS = 1_000_000;

    /// A quiet host wakes a thread within some tens of microseconds.
    private static final long LATE_NANOS_MAX = 300_000;

    private static final long MOSTLY_LATE_NANOS_MAX = 50_000;

    private final Histogram lateNanos = Tally.histogram();
    private final Thread sleeper = Thread.ofPlatform().daemon().unstarted(this::sleep);
    private volatile boolean ended;

    static HostNoise listen() {
        HostNoise noise = new HostNoise();
        noise.sleeper.start();
        return noise;
    }

    private void sleep() {
        Undisturbed.here();
        while (!ended) {
            long start = System.nanoTime();
            LockSupport.parkNanos(SLEEP_NANOS);
            lateNanos.recordValue(Math.max(0, System.nanoTime() - start - SLEEP_NANOS));
        }
    }

    /// Whether the host was never late. Call it after closing.
    boolean wasQuiet() {
        return lateNanos.getTotalCount() > 0 && lateNanos.getMaxValue() <= LATE_NANOS_MAX;
    }

    /// Whether the host mostly woke the thread in time. Call it after closing.
    boolean wakesInTime() {
        return lateNanos.getTotalCount() > 0
                && lateNanos.getValueAtPercentile(90) <= MOSTLY_LATE_NANOS_MAX;
    }

    @Override
    public void close() {
        ended = true;
        try {
            sleeper.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
