package wallfinder.load;

import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/// How late this host wakes a thread while something is measured: what is later than this was not
/// necessarily late by its own fault.
final class HostNoise implements AutoCloseable {
    private static final long SLEEP_NANOS = 1_000_000;

    /// A quiet host wakes a thread within some tens of microseconds.
    private static final long LATE_NANOS_MAX = 300_000;

    private final Histogram lateNanos = Tally.histogram();
    private final Thread sleeper = Thread.ofPlatform().daemon().unstarted(this::sleep);
    private volatile boolean ended;

    static HostNoise listen() {
        HostNoise noise = new HostNoise();
        noise.sleeper.start();
        return noise;
    }

    private void sleep() {
        while (!ended) {
            long start = System.nanoTime();
            LockSupport.parkNanos(SLEEP_NANOS);
            lateNanos.recordValue(Math.max(0, System.nanoTime() - start - SLEEP_NANOS));
        }
    }

    /// Whether the host left threads their time. To be asked when it is closed.
    boolean wasQuiet() {
        return lateNanos.getValueAtPercentile(99) <= LATE_NANOS_MAX;
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
