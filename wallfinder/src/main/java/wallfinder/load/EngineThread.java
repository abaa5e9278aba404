package wallfinder.load;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// What runs on one thread of an engine, and what others may ask of it meanwhile.
interface EngineThread extends Runnable {
    /// It drives, or has failed.
    CountDownLatch ready();

    /// Why it ended before it was to, or null.
    @Nullable Throwable failure();

    /// The kernel's number, zero before the thread has begun.
    int threadId();

    /// Only [Tally#published] before the thread has ended.
    Tally tally();
}
