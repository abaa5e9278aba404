package wallfinder.sandbox;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Waits for a fact, never longer than a bound.
final class Wait {
    private static final long POLL_NANOS = Duration.ofMillis(5).toNanos();

    private Wait() {}

    /// Waits, polling. An interrupt does not end the waiting, since what is waited for here is
    /// mostly the end of a clean-up; it is kept for later.
    ///
    /// @return whether the fact came true in time
    static boolean until(Duration bound, BooleanSupplier fact) {
        long end = System.nanoTime() + bound.toNanos();
        boolean interrupted = false;
        boolean came = fact.getAsBoolean();
        while (!came && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(POLL_NANOS);
            interrupted |= Thread.interrupted();
            came = fact.getAsBoolean();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return came;
    }
}
