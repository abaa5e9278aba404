package wallfinder.sandbox;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Waits for a fact, never longer than a bound.
final class Wait {
    private static final long POLL_NANOS = Duration.ofMillis(5).toNanos();

    private Wait() {}

    /// Waits, polling.
    ///
    /// @return whether the fact came true in time; an interrupt ends the waiting and is kept
    static boolean until(Duration bound, BooleanSupplier fact) {
        long end = System.nanoTime() + bound.toNanos();
        while (!fact.getAsBoolean()) {
            if (System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }
}
