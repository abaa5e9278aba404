package wallfinder.services.echo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/// A thread that waits for the events of its connections, which are in its own descriptor table. It
/// accepts connections while the table has room, and leaves the others in the listeners' queues.
///
/// ```
///  accepting --- no room ---> paused --- a connection ends ---> accepting
///      |                         |
///      +--------- stop ----------+---> draining --- all is sent, or 2 s ---> ended
/// ```
final class Loop implements Runnable, Wire {
    /// The data of an event is its descriptor combined with one of these.
    private static final long LISTENER = 1L << 32;

    private static final long BELL = 2L << 32;

    /// Spreads many new connections over all loops, and does not delay messages of existing ones.
    private static final int ACCEPTS_MAX = 64;

    /// With this many events at a time, waiting for more gains nothing.
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

    /// The connection whose bytes are in the buffer, and their number.
    private int fd;

    private int length;

    /// @param bell a descriptor that is opened before the thread begins
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

    /// The thread begins with a copy of the caller's descriptors.
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

    /// Rings the bell; any thread may call this.
    void ring() {
        loops.ring(this);
    }

    /// Makes the thread end when all answers are sent. The caller must ring the bell.
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
            loops.reportError(linux.reason(-poll));
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

    /// @return the number of events
    private int turn(int millis) {
        int happened = linux.await(poll, millis);
        for (int i = 0; i < happened; i++) {
            handle(linux.data(i));
        }
        return happened;
    }

    /// A message to an idle loop is answered at once. Later messages wait until the thread has
    /// rested, so that it handles several after one wake-up.
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

    /// The kernel may have woken only a loop without room. Watching a listener anew reports the
    /// connections that already wait there.
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

    /// A full descriptor table of this thread has room again only when one of its connections ends.
    /// Other errors may be temporary.
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
        loops.reportError(why);
    }

    private void resume() {
        accepting = true;
        watchListeners();
    }

    // ---- a connection ---------------------------------------------------------------------------

    /// Handles a connection as far as possible now.
    ///
    /// @return false if the connection has ended
    boolean serve(int connection) {
        fd = connection;
        try {
            byte[] rest = unsent.isEmpty() ? null : unsent.remove(connection);
            return rest == null
                    ? keepUnsent(Protocol.exchange(this, loops.tally()), Linux.IN)
                    : sendRest(rest);
        } catch (OutOfMemoryError full) {
            loops.reportError(full.getMessage());
            return false;
        }
    }

    private boolean sendRest(byte[] rest) {
        Linux.put(memory.address(), rest);
        length = rest.length;
        return keepUnsent(Protocol.answer(this, 0, rest.length, loops.tally()), Linux.OUT);
    }

    /// Keeps the bytes that the other end does not read, and reads nothing more from it until it
    /// does. So a slow reader costs at most one buffer.
    ///
    /// @param watched the events that the connection is watched for until now
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

    /// Answers the messages that have arrived, until there is no event for a moment. The kernel
    /// closes the connections when the thread ends.
    private void drain() {
        leaveListeners();
        if (ownDescriptors) {
            for (int listener : loops.listeners()) {
                linux.close(listener);
            }
        }
        long deadline = System.nanoTime() + Loops.STOP_NANOS_MAX;
        while ((turn(QUIET_MILLIS) > 0 || !unsent.isEmpty()) && System.nanoTime() - deadline < 0) {
            // Handle the remaining events.
        }
    }
}
