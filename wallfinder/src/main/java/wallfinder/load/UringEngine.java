package wallfinder.load;

import java.util.Arrays;
import wallfinder.linux.Errno;
import wallfinder.linux.Ring;
import wallfinder.linux.Sockets;

/// Over io_uring: requests are queued and go to the kernel together; each connection has one
/// receive that completes again and again.
///
/// A completion names its slot and the generation of the slot's connection: those of an earlier
/// connection are ignored, their buffers given back.
final class UringEngine implements Engine {
    private static final int BUFFER_BYTES = 16 * 1024;
    private static final int BUFFERS_MIN = 64;
    private static final int BUFFERS_MAX = 512;
    private static final int REQUESTS_MAX = 4096;
    private static final int COMPLETIONS_MAX = 16 * 1024;

    private static final long FIRST_SEND = 1L << 60;
    private static final long SEND = 2L << 60;
    private static final long RECEIVE = 3L << 60;
    private static final long OPENING = 4L << 60;
    private static final long KINDS = 15L << 60;
    private static final int GENERATIONS = (1 << 28) - 1;
    private static final int NO_BUFFERS = Errno.ENOBUFS.number();

    private final Connector connector;
    private final Sockets sockets;
    private final RequestBytes request;
    private final Ring ring;
    private final int[] fds;
    private final int[] generations;

    /// Where a slot's last request ends in the ring's queue.
    private final int[] queueEnds;

    private final boolean[] receiving;
    private final boolean[] sending;

    UringEngine(LoadPlan plan, int connections, Connector connector, RequestBytes request) {
        this.connector = connector;
        this.sockets = connector.sockets();
        this.request = request;
        fds = new int[connections];
        Arrays.fill(fds, -1);
        generations = new int[connections];
        queueEnds = new int[connections];
        receiving = new boolean[connections];
        sending = new boolean[connections];
        ring =
                Ring.open(
                        powerOfTwo(2L * connections, 64, REQUESTS_MAX),
                        powerOfTwo(4L * connections, 256, COMPLETIONS_MAX),
                        powerOfTwo(2L * connections, BUFFERS_MIN, BUFFERS_MAX),
                        BUFFER_BYTES);
    }

    private static int powerOfTwo(long wanted, int min, int max) {
        int size = min;
        while (size < wanted && size < max) {
            size *= 2;
        }
        return size;
    }

    @Override
    public int connect(int slot) {
        return connect(slot, request.length(), FIRST_SEND);
    }

    /// A send of no bytes waits for the connection like any other.
    @Override
    public int open(int slot) {
        return connect(slot, 0, OPENING);
    }

    private int connect(int slot, int length, long kind) {
        int fd = connector.open();
        if (fd < 0) {
            return fd;
        }
        sockets.makeBlocking(fd);
        fds[slot] = fd;
        sending[slot] = true;
        ring.send(fd, request.address(), length, tag(kind, slot));
        queueEnds[slot] = ring.queueEnd();
        return 0;
    }

    @Override
    public int send(int slot) {
        ring.sendQuietly(fds[slot], request.address(), request.length(), tag(SEND, slot));
        queueEnds[slot] = ring.queueEnd();
        return 0;
    }

    /// A request that the ring still holds would keep the socket open, so it is shut down first.
    @Override
    public void disconnect(int slot) {
        int fd = fds[slot];
        if (fd < 0) {
            return;
        }
        ring.submitTo(queueEnds[slot]);
        if (receiving[slot] || sending[slot]) {
            sockets.shutdown(fd);
        }
        sockets.close(fd);
        fds[slot] = -1;
        generations[slot] = (generations[slot] + 1) & GENERATIONS;
        receiving[slot] = false;
        sending[slot] = false;
    }

    @Override
    public void poll(Exchanges exchanges, long nanosMax) {
        int count = ring.submitAndWait(nanosMax);
        exchanges.now(System.nanoTime());
        for (int i = 0; i < count; i++) {
            tell(exchanges, ring.completion(i));
        }
        ring.consumed(count);
    }

    private void tell(Exchanges exchanges, long completion) {
        long userData = Ring.userData(completion);
        int result = Ring.result(completion);
        int flags = Ring.flags(completion);
        int slot = (int) userData;
        int buffer = Ring.buffer(flags);
        if (generation(userData) == generations[slot] && fds[slot] >= 0) {
            long kind = userData & KINDS;
            if (kind == RECEIVE) {
                received(exchanges, slot, result, flags, buffer);
            } else if (kind == FIRST_SEND) {
                connected(exchanges, slot, result);
            } else if (kind == OPENING) {
                opened(exchanges, slot, result);
            } else if (result < 0) {
                exchanges.sendFailed(slot, -result);
            }
        }
        if (buffer >= 0) {
            ring.giveBack(buffer);
        }
    }

    private void received(Exchanges exchanges, int slot, int result, int flags, int buffer) {
        int generation = generations[slot];
        boolean more = (flags & Ring.MORE) != 0;
        receiving[slot] = more;
        if (result > 0) {
            exchanges.received(slot, ring.bufferAddress(buffer), result);
        } else if (result == 0) {
            exchanges.ended(slot);
            return;
        } else if (-result != NO_BUFFERS) {
            exchanges.failed(slot, -result);
            return;
        }
        if (!more && generation == generations[slot]) {
            receive(slot);
        }
    }

    private void connected(Exchanges exchanges, int slot, int result) {
        sending[slot] = false;
        if (result < 0) {
            exchanges.failed(slot, -result);
            return;
        }
        exchanges.connected(slot);
        receive(slot);
        if (result < request.length()) {
            sending[slot] = true;
            ring.sendQuietly(
                    fds[slot],
                    request.address() + result,
                    request.length() - result,
                    tag(SEND, slot));
            queueEnds[slot] = ring.queueEnd();
        }
    }

    private void opened(Exchanges exchanges, int slot, int result) {
        sending[slot] = false;
        if (result < 0) {
            exchanges.failed(slot, -result);
            return;
        }
        receive(slot);
        exchanges.opened(slot);
    }

    private void receive(int slot) {
        receiving[slot] = true;
        ring.receive(fds[slot], tag(RECEIVE, slot));
        queueEnds[slot] = ring.queueEnd();
    }

    private long tag(long kind, int slot) {
        return kind | (long) generations[slot] << 32 | slot;
    }

    private static int generation(long userData) {
        return (int) (userData >>> 32) & GENERATIONS;
    }

    @Override
    public void close() {
        for (int slot = 0; slot < fds.length; slot++) {
            disconnect(slot);
        }
        ring.close();
    }
}
