package wallfinder.lab.trial;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import wallfinder.sampling.JvmCensus;

/// The live data in a JVM's heap under load, including current requests. The JVM is asked to
/// collect garbage after half a second, and then after twice as long each time. This takes little
/// of its time, and the last answer comes late in any load.
final class LiveHeap implements AutoCloseable {
    private static final Duration FIRST = Duration.ofMillis(500);

    private final Collection<Long> pids;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CompletableFuture<Double> most;

    /// Starts to ask the first JVM among some processes.
    LiveHeap(Collection<Long> pids) {
        this.pids = pids;
        most = CompletableFuture.supplyAsync(this::ask, Thread.ofVirtual()::start);
    }

    private double ask() {
        double bytes = Double.NaN;
        for (long nanos = FIRST.toNanos(); !ended(nanos); nanos *= 2) {
            double live = JvmCensus.liveBytes(pids);
            bytes = Double.isNaN(bytes) || live > bytes ? live : bytes;
        }
        return bytes;
    }

    private boolean ended(long nanos) {
        try {
            return ended.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /// @return the largest answer, or `NaN`
    double mostBytes() {
        ended.countDown();
        return most.join();
    }

    @Override
    public void close() {
        mostBytes();
    }
}
