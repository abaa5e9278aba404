package wallfinder.sandbox;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Waits for a condition, with a bound.
final class Wait {
    private static final long POLL_NANOS = Duration.ofMillis(5).toNanos();

    private Wait() {}

    /// Polls the condition. An interrupt does not end the waiting, because most callers wait for a
    /// clean-up; the thread is interrupted again afterwards.
    ///
    /// @return whether the condition became true in time
    static boolean until(Duration bound, BooleanSupplier condition) {
        long end = System.nanoTime() + bound.toNanos();
        boolean interrupted = false;
        boolean met = condition.getAsBoolean();
        while (!met && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(POLL_NANOS);
            interrupted |= Thread.interrupted();
            met = condition.getAsBoolean();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return met;
    }
}
