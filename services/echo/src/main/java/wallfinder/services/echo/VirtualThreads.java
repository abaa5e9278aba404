package wallfinder.services.echo;

import java.lang.reflect.Constructor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/// A virtual thread for each connection of a loop, carried by the loop's thread. The thread that
/// gets an event also reads the message, without a switch to another thread and without the JDK's
/// own polling. The JDK has no public way to choose the scheduler of virtual threads. A constructor
/// of its builder does it, and needs `--add-opens java.base/java.lang=ALL-UNNAMED` (in the jar's
/// manifest).
final class VirtualThreads implements Connections, Executor {
    private static final int THREADS_MIN = 64;

    private final Loop loop;
    private final Thread.Builder.OfVirtual builder;
    private final Queue<Runnable> due = new ArrayDeque<>();
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    private Thread[] threads = new Thread[THREADS_MIN];

    /// The connection whose thread begins. The thread reads this field once, so that all threads
    /// can share one task.
    private int beginning;

    private final Runnable conversation = () -> converse(beginning);

    private VirtualThreads(Loop loop, Constructor<? extends Thread.Builder.OfVirtual> builders) {
        this.loop = loop;
        this.builder = builder(builders, this);
    }

    /// @throws Mode.Unavailable if this JVM has no such constructor, or does not open it
    static Function<Loop, Connections> carried() throws Mode.Unavailable {
        try {
            Constructor<? extends Thread.Builder.OfVirtual> builders =
                    Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                            .asSubclass(Thread.Builder.OfVirtual.class)
                            .getDeclaredConstructor(Executor.class);
            builders.setAccessible(true);
            return loop -> new VirtualThreads(loop, builders);
        } catch (ReflectiveOperationException | RuntimeException missing) {
            throw new Mode.Unavailable(
                    "virtual threads take no scheduler here (Java "
                            + Runtime.version()
                            + ", --add-opens java.base/java.lang=ALL-UNNAMED)",
                    missing);
        }
    }

    private static Thread.Builder.OfVirtual builder(
            Constructor<? extends Thread.Builder.OfVirtual> builders, Executor scheduler) {
        try {
            return builders.newInstance(scheduler).inheritInheritableThreadLocals(false);
        } catch (ReflectiveOperationException broken) {
            throw new AssertionError("it was there a moment ago", broken);
        }
    }

    @Override
    public void begin(int fd) {
        if (fd >= threads.length) {
            threads = Arrays.copyOf(threads, Math.max(fd + 1, threads.length * 2));
        }
        beginning = fd;
        threads[fd] = builder.unstarted(conversation);
        threads[fd].start();
        runDue();
    }

    @Override
    public void ready(int fd) {
        LockSupport.unpark(threads[fd]);
        runDue();
    }

    /// Called by the JDK to continue a virtual thread. Usually the loop's thread calls this.
    /// Another thread does so if the virtual thread waited inside the JDK, for example for a class
    /// to be loaded.
    @Override
    public void execute(Runnable continuation) {
        if (loop.isCurrent()) {
            due.add(continuation);
        } else {
            late.add(continuation);
            loop.ring();
        }
    }

    @Override
    public void runLate() {
        for (Runnable next = late.poll(); next != null; next = late.poll()) {
            due.add(next);
        }
        runDue();
    }

    private void runDue() {
        for (Runnable next = due.poll(); next != null; next = due.poll()) {
            next.run();
        }
    }

    /// The code of a virtual thread. While it waits, its stack is in the heap.
    private void converse(int fd) {
        do {
            LockSupport.park();
        } while (loop.serve(fd));
        threads[fd] = null;
        loop.end(fd);
    }
}
