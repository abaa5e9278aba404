package wallfinder.services.echo;

import java.lang.reflect.Constructor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/// A virtual thread for each connection of a loop, and the loop's thread is their carrier: what has
/// come is read where it was told, without a switch to another thread and without the JDK's own
/// polling. The JDK has no public way to name the scheduler of virtual threads; its builder has a
/// constructor for that, which takes `--add-opens java.base/java.lang=ALL-UNNAMED` (the jar's
/// manifest has it).
final class VirtualThreads implements Connections, Executor {
    private static final int THREADS_MIN = 64;

    private final Loop loop;
    private final Thread.Builder.OfVirtual builder;
    private final Queue<Runnable> due = new ArrayDeque<>();
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    private Thread[] threads = new Thread[THREADS_MIN];

    /// The connection whose thread begins: it looks here once, so that all threads run one object.
    private int beginning;

    private final Runnable conversation = () -> converse(beginning);

    private VirtualThreads(Loop loop, Constructor<? extends Thread.Builder.OfVirtual> builders) {
        this.loop = loop;
        this.builder = builder(builders, this);
    }

    /// @throws Mode.Unavailable if this JVM has no such builder, or does not open it
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

    /// The JDK has a virtual thread to continue. Our own are continued by the loop alone; the JDK
    /// itself may have made one wait, for a class that another thread was loading.
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

    /// What a virtual thread runs. All of its stack lies in the heap while it waits.
    private void converse(int fd) {
        do {
            LockSupport.park();
        } while (loop.serve(fd));
        threads[fd] = null;
        loop.end(fd);
    }
}
