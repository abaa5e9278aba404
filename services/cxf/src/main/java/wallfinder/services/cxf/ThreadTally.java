package wallfinder.services.cxf;

import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/// The counts of one thread. Only that thread writes; any thread may read.
final class ThreadTally {
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong nanosSum = new AtomicLong();
    private final AtomicLong nanosMax = new AtomicLong();
    private final AtomicLong endNanos = new AtomicLong();
    private final SortedMap<String, Long> errors = new ConcurrentSkipListMap<>();

    void answered(long startNanos, long nowNanos) {
        long nanos = nowNanos - startNanos;
        answered.setRelease(answered.getPlain() + 1);
        nanosSum.setRelease(nanosSum.getPlain() + nanos);
        nanosMax.setRelease(Math.max(nanosMax.getPlain(), nanos));
        endNanos.setRelease(nowNanos);
    }

    void failed(String kind, long nowNanos) {
        failed.setRelease(failed.getPlain() + 1);
        errors.merge(kind, 1L, Long::sum);
        endNanos.setRelease(nowNanos);
    }

    long answered() {
        return answered.getAcquire();
    }

    long failed() {
        return failed.getAcquire();
    }

    long nanosSum() {
        return nanosSum.getAcquire();
    }

    long nanosMax() {
        return nanosMax.getAcquire();
    }

    SortedMap<String, Long> errors() {
        return errors;
    }

    /// The time from the beginning of the measurement to the end of the thread's last request.
    double seconds(long beginNanos) {
        return Math.max(0, endNanos.getAcquire() - beginNanos) / 1e9;
    }
}
