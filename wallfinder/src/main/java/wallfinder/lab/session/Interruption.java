package wallfinder.lab.session;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Whether the user wants to stop. Everything that takes long waits here, so that Ctrl-C is heard
/// at once and what was measured so far is still told.
public final class Interruption {
    private final CountDownLatch requested = new CountDownLatch(1);

    /// Asks to stop. May be called from any thread.
    public void request() {
        requested.countDown();
    }

    public boolean isRequested() {
        return requested.getCount() == 0;
    }

    /// Waits for the time given, less if a stop is asked for.
    ///
    /// @return true if the time went by, false if a stop was asked for
    public boolean pause(Duration time) {
        try {
            return !requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
