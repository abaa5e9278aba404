package wallfinder.load;

import java.util.Arrays;
import wallfinder.linux.Errno;
import wallfinder.linux.Ring;
import wallfinder.linux.Sockets;

/// An engine over io_uring. Requests are queued and go to the kernel together. Each connection has
/// one receive that completes repeatedly.
///
/// Sends go first, then connects, and closes last, because nothing waits for them. So the server
/// has work while this side connects and is rarely asleep when a connection arrives: waking it is
/// expensive.
///
/// A completion contains its slot and the generation of the connection, so that completions of an
/// earlier connection of this slot are ignored and their buffers given back.
final class UringEngine implements Engine {
    private static final int BUFFER_BYTES = 16 * 1024;
    private static final int BUFFERS_MIN = 64;
    private static final int BUFFERS_MAX = 512;
    private static final int REQUESTS_MAX = 4096;
    private static final int COMPLETIONS_MAX = 16 * 1024;

    /// Fits into the empty buffer of any socket, so that the ring does not delay the send.
    private static final int SENT_AT_ONCE_MAX = 4096;

    private static final long CONNECT = 1L << 60;
    private static final long SEND = 2L << 60;
    private static final long RECEIVE = 3L << 60;
    private static final long CLOSE = 4L << 60;
    private static final long PART = 5L << 60;
    private static final long KINDS = 15L << 60;
    private static final int GENERATIONS = (1 << 28) - 1;
    private static final int NO_BUFFERS = Errno.ENOBUFS.number();
    private static final int NO_PORT = -Errno.EADDRNOTAVAIL.number();
    private static final int NO_DESCRIPTOR = -Errno.EMFILE.number();
    private static final int NO_DESCRIPTOR_ON_HOST = -Errno.ENFILE.number();

    private final Connector connector;
    private final Sockets sockets;
    private final Ring ring;
    private final int[] fds;
    private final int[] generations;

    /// Where the last request of a slot ends in the queue of the ring.
    private final int[] queueEnds;

    /// Slots whose sends go to the kernel with the next wait or before.
    private final int[] queued;

    private int queuedCount;

    private final boolean[] receiving;

    /// A connect, or a send that may not fit into the buffer of the socket, is in progress.
    private final boolean[] sending;

    private final boolean[] moreFollows;

    /// The bytes sent with the connect, and later the parts.
    private final long[] firstAddresses;

    private final int[] firstLengths;

    /// The connects that wait for the sends, encoded by [#tag].
    private final long[] connects;

    private int connectCount;

    /// Descriptors that are still open because connects go first.
    private final int[] closes;

    private int closeCount;

    /// The slot's connect preceded closes that may free the port it needs.
    private final boolean[] early;

    /// Ports or descriptors have run short, so closes go first from now on.
    private boolean scarce;

    UringEngine(int connections, Connector connector) {
        this.connector = connector;
        this.sockets = connector.sockets;
        fds = new int[connections];
        Arrays.fill(fds, -1);
        generations = new int[connections];
        queueEnds = new int[connections];
        queued = new int[connections];
        receiving = new boolean[connections];
        sending = new boolean[connections];
        moreFollows = new boolean[connections];
        firstAddresses = new long[connections];
        firstLengths = new int[connections];
        connects = new long[connections];
        closes = new int[connections];
        early = new boolean[connections];
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
    public int connect(int slot, long address, int length) {
        int fd = socket();
        if (fd < 0) {
            return fd;
        }
        fds[slot] = fd;
        sending[slot] = true;
        firstAddresses[slot] = address;
        firstLengths[slot] = length;
        if (connector.preparable()) {
            connectLater(slot);
        } else {
            sockets.makeBlocking(fd);
            ring.send(fd, address, length, tag(CONNECT, slot));
            queueEnds[slot] = ring.queueEnd();
        }
        return 0;
    }

    /// A prepared or connecting socket. Closes that still wait may free the descriptor or port it
    /// needs.
    private int socket() {
        int fd = open();
        boolean lacking = fd == NO_DESCRIPTOR || fd == NO_DESCRIPTOR_ON_HOST || fd == NO_PORT;
        if (lacking && closeCount > 0) {
            scarce = true;
            closeNow();
            return open();
        }
        return fd;
    }

    private int open() {
        return connector.preparable() ? connector.prepare() : connector.open();
    }

    private void connectLater(int slot) {
        if (connectCount == connects.length) {
            queueConnects();
        }
        connects[connectCount++] = tag(CONNECT, slot);
    }

    /// Omits connects that were cancelled meanwhile.
    private void queueConnects() {
        boolean before = closeCount > 0;
        for (int i = 0; i < connectCount; i++) {
            long tag = connects[i];
            int slot = (int) tag;
            if (generation(tag) == generations[slot] && fds[slot] >= 0) {
                early[slot] = before;
                ring.connect(fds[slot], connector.targetAddress(), connector.targetLength(), tag);
                queueEnds[slot] = ring.queueEnd();
            }
        }
        connectCount = 0;
    }

    private void closeLater(int fd) {
        if (closeCount == closes.length) {
            queueCloses();
        }
        closes[closeCount++] = fd;
    }

    private void queueCloses() {
        for (int i = 0; i < closeCount; i++) {
            ring.close(closes[i], CLOSE);
        }
        closeCount = 0;
    }

    private void closeNow() {
        ring.submitTo(ring.queueEnd());
        for (int i = 0; i < closeCount; i++) {
            sockets.close(closes[i]);
        }
        closeCount = 0;
    }

    @Override
    public int send(int slot, long address, int length) {
        sending[slot] = length > SENT_AT_ONCE_MAX;
        ring.sendQuietly(fds[slot], address, length, tag(SEND, slot));
        queueEnds[slot] = ring.queueEnd();
        if (queuedCount < queued.length) {
            queued[queuedCount++] = slot;
        }
        return 0;
    }

    @Override
    public int sendPart(int slot, long address, int length, boolean more) {
        sending[slot] = true;
        moreFollows[slot] = more;
        firstAddresses[slot] = address;
        firstLengths[slot] = length;
        ring.sendWhole(fds[slot], address, length, more, tag(PART, slot));
        queueEnds[slot] = ring.queueEnd();
        return 0;
    }

    /// A send that an error cut short reports how far it came. The next send reports the error.
    private void partSent(Events events, int slot, int result) {
        sending[slot] = false;
        if (result < 0) {
            events.sendFailed(slot, -result);
        } else if (result < firstLengths[slot]) {
            long rest = firstAddresses[slot] + result;
            sendPart(slot, rest, firstLengths[slot] - result, moreFollows[slot]);
        } else {
            events.partSent(slot);
        }
    }

    /// Shuts the socket down first, because a request in the ring would keep it open.
    @Override
    public void disconnect(int slot) {
        int fd = fds[slot];
        if (fd < 0) {
            return;
        }
        if (receiving[slot] || sending[slot]) {
            ring.submitTo(queueEnds[slot]);
            sockets.shutdown(fd);
            sockets.close(fd);
        } else {
            closeLater(fd);
        }
        fds[slot] = -1;
        generations[slot] = (generations[slot] + 1) & GENERATIONS;
        receiving[slot] = false;
        sending[slot] = false;
    }

    @Override
    public void poll(Events events, long nanosMax) {
        queueWaiting();
        events.waiting(nanosMax);
        reportSent(events);
        int count = ring.submitAndWait(nanosMax);
        events.woken(count > 0);
        for (int i = 0; i < count; i++) {
            report(events, ring.completion(i));
        }
        ring.consumed(count);
    }

    private void reportSent(Events events) {
        for (int i = 0; i < queuedCount; i++) {
            events.sent(queued[i]);
        }
        queuedCount = 0;
    }

    private void queueWaiting() {
        if (scarce) {
            queueCloses();
            queueConnects();
        } else {
            queueConnects();
            queueCloses();
        }
    }

    private void report(Events events, long completion) {
        long userData = Ring.userData(completion);
        int result = Ring.result(completion);
        int flags = Ring.flags(completion);
        int slot = (int) userData;
        int buffer = Ring.buffer(flags);
        if (generation(userData) == generations[slot] && fds[slot] >= 0) {
            long kind = userData & KINDS;
            if (kind == RECEIVE) {
                received(events, slot, result, flags, buffer);
            } else if (kind == CONNECT) {
                connected(events, slot, result);
            } else if (kind == PART) {
                partSent(events, slot, result);
            } else if (kind == SEND && result < 0) {
                events.sendFailed(slot, -result);
            }
        }
        if (buffer >= 0) {
            ring.giveBack(buffer);
        }
    }

    private void received(Events events, int slot, int result, int flags, int buffer) {
        int generation = generations[slot];
        boolean more = (flags & Ring.MORE) != 0;
        receiving[slot] = more;
        if (result > 0) {
            events.received(slot, ring.bufferAddress(buffer), result);
        } else if (result == 0) {
            events.ended(slot);
            return;
        } else if (-result != NO_BUFFERS) {
            events.failed(slot, -result);
            return;
        }
        if (!more && generation == generations[slot]) {
            receive(slot);
        }
    }

    /// @param result how many bytes were sent with the connect
    private void connected(Events events, int slot, int result) {
        if (result == NO_PORT && early[slot]) {
            scarce = true;
            connectLater(slot);
            return;
        }
        sending[slot] = false;
        if (result < 0) {
            events.failed(slot, -result);
            return;
        }
        receive(slot);
        if (result < firstLengths[slot]) {
            send(slot, firstAddresses[slot] + result, firstLengths[slot] - result);
        }
        events.connected(slot);
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
        closeNow();
        ring.close();
    }
}
