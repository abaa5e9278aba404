package wallfinder.services.echo;

import java.util.concurrent.atomic.AtomicLong;

/// Reports why the server accepts no connections, at most once a second instead of at each attempt.
final class AcceptErrorLog {
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final AtomicLong reportNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    void report(String why) {
        long now = System.nanoTime();
        long before = reportNanos.get();
        if (now - before >= PAUSE_NANOS && reportNanos.compareAndSet(before, now)) {
            System.err.println("echo server: no connection accepted: " + why);
        }
    }
}
