package wallfinder.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.Affinity;
import wallfinder.linux.Namespaces;
import wallfinder.linux.SyscallException;

/// An anonymous network namespace, kept alive by a thread inside and by a descriptor. Both end with
/// this process, whatever ends it, and the kernel then removes the namespace and its contents.
final class NetworkNamespace implements AutoCloseable {
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread holder;
    private final int holderTid;
    private final int descriptor;

    private record Birth(int descriptor, int tid) {}

    /// Creates a namespace.
    ///
    /// @throws SyscallException EPERM without the right to do so
    NetworkNamespace(String name) {
        FutureTask<Birth> birth = new FutureTask<>(NetworkNamespace::unshare);
        holder =
                Thread.ofPlatform()
                        .name("namespace-" + name)
                        .daemon()
                        .start(() -> {
                            birth.run();
                            awaitEnd();
                        });
        try {
            Birth born = result(birth);
            descriptor = born.descriptor();
            holderTid = born.tid();
        } catch (RuntimeException e) {
            ended.countDown();
            throw e;
        }
    }

    private static Birth unshare() {
        Namespaces.unshareNetwork();
        return new Birth(Namespaces.openNetwork(), Affinity.threadId());
    }

    private void awaitEnd() {
        boolean waiting = true;
        while (waiting) {
            try {
                ended.await();
                waiting = false;
            } catch (InterruptedException e) {
                // Only close() may end this thread: the namespace would lose its holder.
            }
        }
    }

    int descriptor() {
        return descriptor;
    }

    /// The thread inside.
    int holderTid() {
        return holderTid;
    }

    /// The folder of the thread inside.
    Path proc() {
        return Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "task")
                .resolve(Integer.toString(holderTid));
    }

    /// Moves the calling platform thread into this namespace for the rest of its life.
    void enter() {
        Namespaces.enterNetwork(descriptor);
    }

    /// Runs work on a new thread inside and waits for the result.
    <T extends @Nullable Object> T call(Callable<T> work) {
        return onFreshThread(() -> {
            enter();
            return work.call();
        });
    }

    static <T extends @Nullable Object> T onFreshThread(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = Thread.ofPlatform().name("inside").daemon().start(task);
        try {
            return result(task);
        } catch (CancellationException e) {
            thread.interrupt();
            throw e;
        }
    }

    private static <T extends @Nullable Object> T result(FutureTask<T> task) {
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        } catch (ExecutionException e) {
            throw unchecked(e.getCause());
        }
    }

    private static RuntimeException unchecked(@Nullable Throwable cause) {
        return switch (cause) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            case IOException e -> new UncheckedIOException(e);
            case null, default -> new IllegalStateException(cause);
        };
    }

    @Override
    public void close() {
        if (ended.getCount() > 0) {
            ended.countDown();
            Namespaces.close(descriptor);
        }
        boolean interrupted = Thread.interrupted();
        try {
            holder.join();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
