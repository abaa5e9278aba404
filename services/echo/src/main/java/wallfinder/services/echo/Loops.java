package wallfinder.services.echo;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

/// A server whose loops share the same listeners. It has a loop for each processor, and starts
/// another one whenever all loops have used up their descriptors.
///
/// A descriptor's number is valid only in the table in which it was opened. The listeners and the
/// loops' bells are opened in the table of the process, which never fills. The loops' tables are
/// copies with the same numbers, but do not contain descriptors that were opened later. So only one
/// thread with the process's table, the keeper, uses the bells. It also starts the loops.
final class Loops implements Server {
    static final long STOP_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

    private final Tally tally;
    private final int loopsMax;
    private final int gatherMicros;
    private final int bufferSize;
    private final Function<Loop, Connections> kind;
    private final Linux linux;
    private final AcceptErrorLog errorLog = new AcceptErrorLog();
    private final List<Loop> loops = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Runnable> asked = new LinkedBlockingQueue<>();
    private final Thread keeper = Thread.ofPlatform().daemon().name("keeper").unstarted(this::keep);
    private volatile boolean crowded;
    private int[] listeners = {};
    private int port;
    private boolean ended;

    private Loops(ServerPlan plan, Tally tally, Function<Loop, Connections> kind, Linux linux) {
        this.tally = tally;
        this.loopsMax = plan.loopsMax();
        this.gatherMicros = plan.gatherMicros();
        this.bufferSize = plan.bufferSize();
        this.kind = kind;
        this.linux = linux;
    }

    /// @throws Mode.Unavailable if this JVM cannot make the system calls
    static Loops open(ServerPlan plan, Tally tally, Function<Loop, Connections> kind)
            throws IOException, Mode.Unavailable {
        Loops loops = new Loops(plan, tally, kind, linux());
        loops.listen(plan);
        for (int i = 0; i < Math.min(loops.loopsMax, cpus()); i++) {
            loops.startLoop();
        }
        loops.keeper.start();
        return loops;
    }

    private static int cpus() {
        return Runtime.getRuntime().availableProcessors();
    }

    private static Linux linux() throws Mode.Unavailable {
        try {
            return new Linux();
        } catch (LinkageError | RuntimeException missing) {
            throw new Mode.Unavailable(
                    "the system calls of 64-bit Linux are not there (%s)".formatted(missing),
                    missing);
        }
    }

    // ---- listening ------------------------------------------------------------------------------

    private void listen(ServerPlan plan) throws IOException {
        InetAddress address = plan.address();
        listeners = new int[plan.portCount()];
        for (int i = 0; i < listeners.length; i++) {
            int wanted = plan.port(i, port);
            try {
                listeners[i] = listener(address, wanted, plan.queue());
            } catch (IOException unusable) {
                IntStream.of(listeners).limit(i).forEach(linux::close);
                throw EchoServer.cannotListen(plan.host(), wanted, unusable);
            }
            port = i == 0 ? linux.localPort(listeners[0]) : port;
        }
    }

    private int listener(InetAddress address, int wanted, int queue) throws IOException {
        int fd = checked(linux.listener(address instanceof Inet6Address));
        try {
            checked(linux.bind(fd, address, wanted));
            checked(linux.listen(fd, queue));
            return fd;
        } catch (IOException unusable) {
            linux.close(fd);
            throw unusable;
        }
    }

    private int checked(int result) throws IOException {
        if (result < 0) {
            throw new IOException(linux.reason(-result));
        }
        return result;
    }

    @Override
    public int port() {
        return port;
    }

    // ---- for the loops --------------------------------------------------------------------------

    int[] listeners() {
        return listeners;
    }

    Tally tally() {
        return tally;
    }

    /// Whether there are more loops than processors. Events then accumulate while a loop waits for
    /// a processor.
    boolean crowded() {
        return crowded;
    }

    void reportError(String why) {
        errorLog.report(why);
    }

    void ring(Loop loop) {
        asked.add(() -> linux.ring(loop.bell()));
    }

    /// A loop has no descriptor left, and connections may be waiting in the listeners' queues.
    void full() {
        asked.add(this::makeRoom);
    }

    // ---- the keeper -----------------------------------------------------------------------------

    private void keep() {
        try {
            while (!ended) {
                asked.take().run();
            }
        } catch (InterruptedException unused) {
            // Nobody interrupts this thread.
            Thread.currentThread().interrupt();
        }
    }

    /// The kernel has woken only a loop without room, so this wakes the others.
    private void makeRoom() {
        List<Loop> open = loops.stream().filter(Loop::isAccepting).toList();
        open.forEach(loop -> linux.ring(loop.bell()));
        if (open.isEmpty() && (loops.size() == loopsMax || !startLoop())) {
            errorLog.report(linux.reason(Linux.EMFILE));
        }
    }

    private boolean startLoop() {
        int bell = linux.bell();
        if (bell >= 0) {
            Loop loop = new Loop(this, bell, gatherMicros, bufferSize, kind);
            loops.add(loop);
            crowded = loops.size() > cpus();
            loop.start();
        }
        return bell >= 0;
    }

    @Override
    public void stop() {
        asked.add(this::end);
        try {
            keeper.join();
        } catch (InterruptedException unused) {
            // Nobody interrupts this thread.
            Thread.currentThread().interrupt();
        }
    }

    private void end() {
        ended = true;
        IntStream.of(listeners).forEach(linux::close);
        for (Loop loop : loops) {
            loop.stop();
            linux.ring(loop.bell());
        }
        long deadline = System.nanoTime() + 2 * STOP_NANOS_MAX;
        for (Loop loop : loops) {
            await(loop, deadline - System.nanoTime());
        }
    }

    private void await(Loop loop, long nanos) {
        try {
            loop.join(Math.max(1, nanos));
        } catch (InterruptedException unused) {
            Thread.currentThread().interrupt();
        }
        linux.close(loop.bell());
    }
}
