package wallfinder.services.echo;

import java.util.concurrent.atomic.AtomicLong;

/// Why connections are not accepted. That may be over in a moment, so it is told once a second, not
/// once a try.
final class AcceptErrorLog {
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final AtomicLong toldNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    void tell(String why) {
        long now = System.nanoTime();
        long before = toldNanos.get();
        if (now - before >= PAUSE_NANOS && toldNanos.compareAndSet(before, now)) {
            System.err.println("echo server: no connection accepted: " + why);
        }
    }
}
