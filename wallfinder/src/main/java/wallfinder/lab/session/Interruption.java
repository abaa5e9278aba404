package wallfinder.lab.session;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Whether the user has asked to stop. All long waits go through [#pause], so that Ctrl-C takes
/// effect at once and the run still reports what it has measured.
public final class Interruption {
    private final CountDownLatch requested = new CountDownLatch(1);

    /// Asks the run to stop. Any thread may call it.
    public void request() {
        requested.countDown();
    }

    public boolean isRequested() {
        return requested.getCount() == 0;
    }

    /// Ends the work of the caller if the user has asked to stop.
    ///
    /// @throws CancellationException if so
    public void check() {
        if (isRequested()) {
            throw new CancellationException();
        }
    }

    /// Waits for the given time, or until somebody asks to stop.
    ///
    /// @return false if somebody asked to stop
    public boolean pause(Duration time) {
        try {
            return !requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
