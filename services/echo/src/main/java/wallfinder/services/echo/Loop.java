package wallfinder.services.echo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/// A thread that waits for the events of its connections, which are in a descriptor table of its
/// own. It accepts what it has room for, and leaves the rest in the listeners' queues.
///
/// ```
///  accepting --- no room ---> paused --- a connection ends ---> accepting
///      |                         |
///      +--------- stop ----------+---> draining --- all is sent, or 2 s ---> ended
/// ```
final class Loop implements Runnable, Wire {
    /// An event's data is its descriptor, and one of these.
    private static final long LISTENER = 1L << 32;

    private static final long BELL = 2L << 32;

    /// So that a crowd spreads over all loops, and who talks does not wait behind who comes.
    private static final int ACCEPTS_MAX = 64;

    /// Where so many come at a time there is nothing to be gained by waiting for more.
    private static final int CROWD = 64;

    private static final int FOR_EVER = -1;
    private static final int RETRY_MILLIS = 100;
    private static final int QUIET_MILLIS = 10;

    private final Loops loops;
    private final int bell;
    private final Linux linux = new Linux();
    private final MemorySegment memory;
    private final int gatherMicros;
    private final int bufferSize;
    private final Map<Integer, byte[]> unsent = new HashMap<>();
    private final Connections connections;
    private final Thread thread = Thread.ofPlatform().name("loop").unstarted(this);
    private boolean ownDescriptors;
    private int poll;
    private int pauseMillis;
    private volatile boolean accepting;
    private volatile boolean stopping;

    /// The connection whose bytes lie in the buffer, and how many.
    private int fd;

    private int length;

    /// @param bell a descriptor that was opened before the thread begins
    Loop(
            Loops loops,
            int bell,
            int gatherMicros,
            int bufferSize,
            Function<Loop, Connections> kind) {
        this.loops = loops;
        this.bell = bell;
        this.gatherMicros = gatherMicros;
        this.bufferSize = bufferSize;
        this.memory = Arena.ofAuto().allocate(bufferSize);
        this.connections = kind.apply(this);
    }

    /// Its descriptors begin as a copy of those of the thread that calls this.
    void start() {
        accepting = true;
        thread.start();
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    boolean isAccepting() {
        return accepting;
    }

    int bell() {
        return bell;
    }

    /// Has the bell rung, wherever this is called.
    void ring() {
        loops.ring(this);
    }

    /// It ends when all is sent; the bell is to be rung.
    void stop() {
        stopping = true;
    }

    void join(long nanos) throws InterruptedException {
        thread.join(Duration.ofNanos(nanos));
    }

    @Override
    public void run() {
        ownDescriptors = linux.ownDescriptors() >= 0;
        poll = linux.poll();
        if (poll < 0) {
            accepting = false;
            loops.complain(linux.reason(-poll));
            return;
        }
        linux.watch(poll, bell, Linux.IN, BELL | bell);
        watchListeners();
        while (!stopping) {
            int happened = turn(accepting ? FOR_EVER : pauseMillis);
            if (happened == 0 && !accepting) {
                resume();
            }
            gather(happened);
        }
        drain();
        linux.close(poll);
    }

    /// @return how many events there were
    private int turn(int millis) {
        int happened = linux.await(poll, millis);
        for (int i = 0; i < happened; i++) {
            handle(linux.data(i));
        }
        return happened;
    }

    /// Who comes while nothing is going on is answered at once. Who comes soon after waits until
    /// the thread has rested, and with others, so that it need not be woken for each of them.
    private void gather(int happened) {
        boolean few = happened > 0 && happened < CROWD;
        if (gatherMicros > 0 && few && !loops.crowded()) {
            linux.rest(gatherMicros);
        }
    }

    private void handle(long data) {
        if (data < LISTENER) {
            connections.ready((int) data);
        } else if (data < BELL) {
            acceptFrom((int) data);
        } else {
            linux.silence(bell);
            connections.runLate();
            lookAgain();
        }
    }

    // ---- accepting ------------------------------------------------------------------------------

    private void watchListeners() {
        for (int listener : loops.listeners()) {
            linux.watch(poll, listener, Linux.IN | Linux.EXCLUSIVE, LISTENER | listener);
        }
    }

    private void leaveListeners() {
        accepting = false;
        for (int listener : loops.listeners()) {
            linux.leave(poll, listener);
        }
    }

    /// Of all loops the kernel may have woken one that has no room left. Who begins to watch a
    /// listener is told of all that waits there already.
    private void lookAgain() {
        if (accepting) {
            leaveListeners();
            resume();
        }
    }

    private void acceptFrom(int listener) {
        for (int i = 0; i < ACCEPTS_MAX && accepting && !stopping; i++) {
            int accepted = linux.accept(listener);
            if (accepted >= 0) {
                begin(accepted);
            } else if (accepted == -Linux.EAGAIN) {
                return;
            } else if (accepted != -Linux.ECONNABORTED && accepted != -Linux.EINTR) {
                pause(-accepted);
            }
        }
    }

    private void begin(int accepted) {
        loops.tally().connected();
        int watched = linux.watch(poll, accepted, Linux.IN, accepted);
        if (watched < 0) {
            end(accepted);
            pause(-watched);
            return;
        }
        try {
            connections.begin(accepted);
        } catch (OutOfMemoryError full) {
            end(accepted);
            pause(RETRY_MILLIS, full.getMessage());
        }
    }

    /// A table of its own has room when one of its connections ends, and not before. Anything else
    /// may be over in a moment.
    private void pause(int errno) {
        if (errno == Linux.EMFILE && ownDescriptors) {
            pauseMillis = FOR_EVER;
            leaveListeners();
            loops.full();
        } else {
            pause(RETRY_MILLIS, linux.reason(errno));
        }
    }

    private void pause(int millis, String why) {
        pauseMillis = millis;
        leaveListeners();
        loops.complain(why);
    }

    private void resume() {
        accepting = true;
        watchListeners();
    }

    // ---- a connection ---------------------------------------------------------------------------

    /// Does what can be done for a connection now.
    ///
    /// @return false at its end
    boolean serve(int connection) {
        fd = connection;
        try {
            byte[] rest = unsent.isEmpty() ? null : unsent.remove(connection);
            return rest == null
                    ? keepUnsent(Protocol.exchange(this, loops.tally()), Linux.IN)
                    : sendRest(rest);
        } catch (OutOfMemoryError full) {
            loops.complain(full.getMessage());
            return false;
        }
    }

    private boolean sendRest(byte[] rest) {
        Linux.put(memory.address(), rest);
        length = rest.length;
        return keepUnsent(Protocol.answer(this, 0, rest.length, loops.tally()), Linux.OUT);
    }

    /// What the other end does not take is kept, and nothing more is read from it until it does: a
    /// slow reader costs no more than a buffer.
    ///
    /// @param watched what the connection is watched for until now
    private boolean keepUnsent(int bytes, int watched) {
        int wanted = bytes > 0 ? Linux.OUT : Linux.IN;
        if (bytes > 0) {
            unsent.put(fd, Linux.bytes(memory.address() + length - bytes, bytes));
        }
        if (bytes >= 0 && wanted != watched) {
            linux.watchOtherwise(poll, fd, wanted, fd);
        }
        return bytes >= 0;
    }

    @Override
    public int take() {
        int taken = linux.receive(fd, memory.address(), bufferSize);
        if (taken > 0) {
            length = taken;
            return taken;
        }
        return taken == -Linux.EAGAIN || taken == -Linux.EINTR ? 0 : -1;
    }

    @Override
    public int give(int from, int to) {
        int sent = linux.send(fd, memory.address() + from, to - from);
        return sent == -Linux.EAGAIN || sent == -Linux.EINTR ? 0 : Math.max(sent, -1);
    }

    void end(int connection) {
        linux.close(connection);
        loops.tally().disconnected();
        if (!accepting && !stopping) {
            resume();
        }
    }

    // ---- the end --------------------------------------------------------------------------------

    /// What had come is answered when nothing is left to be done for a moment. The kernel closes
    /// the connections with the thread.
    private void drain() {
        leaveListeners();
        if (ownDescriptors) {
            for (int listener : loops.listeners()) {
                linux.close(listener);
            }
        }
        long deadline = System.nanoTime() + Loops.STOP_NANOS_MAX;
        while ((turn(QUIET_MILLIS) > 0 || !unsent.isEmpty()) && System.nanoTime() - deadline < 0) {
            // Some more.
        }
    }
}
