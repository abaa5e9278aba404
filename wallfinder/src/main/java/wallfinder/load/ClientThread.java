package wallfinder.load;

import java.time.Duration;
import wallfinder.linux.EnvironmentException;

/// Short work with blocking sockets, from where the load runs.
final class ClientThread {
    private ClientThread() {}

    /// Waits until the work is done.
    ///
    /// @throws EnvironmentException if the work threw it
    static void run(EngineThreads place, Duration longest, Runnable work) {
        Throwable[] failure = new Throwable[1];
        Thread thread =
                Thread.ofPlatform()
                        .name("wallfinder-client")
                        .daemon()
                        .unstarted(() -> {
                            place.enter().run();
                            work.run();
                        });
        thread.setUncaughtExceptionHandler((_, e) -> failure[0] = e);
        thread.start();
        try {
            if (!thread.join(longest)) {
                throw new IllegalStateException("the connections beside the load did not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted beside the load", e);
        }
        if (failure[0] instanceof EnvironmentException e) {
            throw e;
        }
        if (failure[0] != null) {
            throw new IllegalStateException("a connection beside the load failed", failure[0]);
        }
    }
}
