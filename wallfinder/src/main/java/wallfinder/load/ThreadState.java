package wallfinder.load;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// What other threads may read of an engine thread while it runs.
final class ThreadState {
    /// Reaches zero when the thread drives, or has failed.
    final CountDownLatch ready = new CountDownLatch(1);

    /// Before the thread has ended, other threads may only call [Tally#published].
    final Tally tally;

    /// The kernel's number, zero before the thread has begun.
    volatile int threadId;

    /// Why the thread ended too early, or null.
    volatile @Nullable Throwable failure;

    ThreadState(Tally tally) {
        this.tally = tally;
    }
}
