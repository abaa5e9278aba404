package wallfinder.load;

import java.util.Arrays;
import wallfinder.linux.Epoll;
import wallfinder.linux.Errno;
import wallfinder.linux.Memory;
import wallfinder.linux.Sockets;

/// An engine over edge-triggered epoll, for hosts where io_uring is missing or forbidden.
///
/// An event contains its slot and the generation of the connection, so that events of an earlier
/// connection of this slot are ignored.
final class EpollEngine implements Engine {
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int EVENTS_MAX = 512;
    static final int INTERESTS = Epoll.IN | Epoll.OUT | Epoll.RDHUP | Epoll.EDGE;
    static final int READABLE = Epoll.IN | Epoll.RDHUP | Epoll.ERR | Epoll.HUP;
    private static final int AGAIN = Errno.EAGAIN.number();
    private static final int INTERRUPTED = Errno.EINTR.number();

    /// How many reads one connection gets before the others get their turn.
    private static final int READS_MAX = 16;

    private final Connector connector;
    private final Sockets sockets;
    private final Epoll epoll;
    private final long buffer;
    private final int[] fds;
    private final int[] generations;

    private final boolean[] connecting;

    /// Bytes that are still to be sent.
    private final long[] addresses;

    private final int[] lengths;

    /// Slots that may have more to read.
    private final int[] unread;

    private final boolean[] isUnread;
    private int unreadCount;

    /// Slots whose send is reported when complete, and those that are complete but not reported
    /// yet.
    private final boolean[] isPart;

    private final boolean[] moreFollows;
    private final int[] sent;
    private final boolean[] isSent;
    private int sentCount;

    EpollEngine(int connections, Connector connector) {
        this.connector = connector;
        this.sockets = connector.sockets;
        fds = new int[connections];
        Arrays.fill(fds, -1);
        generations = new int[connections];
        connecting = new boolean[connections];
        addresses = new long[connections];
        lengths = new int[connections];
        unread = new int[connections];
        isUnread = new boolean[connections];
        isPart = new boolean[connections];
        moreFollows = new boolean[connections];
        // Slots being reported, and slots that complete meanwhile.
        sent = new int[2 * connections];
        isSent = new boolean[connections];
        epoll = new Epoll(Math.min(EVENTS_MAX, Math.max(16, connections)));
        buffer = Memory.map(BUFFER_BYTES);
    }

    @Override
    public int connect(int slot, long address, int length) {
        int fd = connector.open();
        if (fd < 0) {
            return fd;
        }
        int result = epoll.add(fd, INTERESTS, (long) generations[slot] << 32 | slot);
        if (result < 0) {
            sockets.close(fd);
            return result;
        }
        fds[slot] = fd;
        connecting[slot] = true;
        addresses[slot] = address;
        lengths[slot] = length;
        return 0;
    }

    @Override
    public int send(int slot, long address, int length) {
        addresses[slot] = address;
        lengths[slot] = length;
        return sendRest(slot);
    }

    @Override
    public int sendPart(int slot, long address, int length, boolean more) {
        isPart[slot] = true;
        moreFollows[slot] = more;
        return send(slot, address, length);
    }

    private int sendRest(int slot) {
        boolean more = isPart[slot] && moreFollows[slot];
        int result = sockets.send(fds[slot], addresses[slot], lengths[slot], more);
        if (result >= 0) {
            addresses[slot] += result;
            lengths[slot] -= result;
            if (lengths[slot] == 0 && isPart[slot]) {
                noteSent(slot);
            }
            return 0;
        }
        return result == -AGAIN || result == -INTERRUPTED ? 0 : result;
    }

    /// The next poll reports it, because the sender must not be called back now.
    private void noteSent(int slot) {
        isPart[slot] = false;
        if (!isSent[slot]) {
            isSent[slot] = true;
            sent[sentCount++] = slot;
        }
    }

    private void reportSent(Events events) {
        int count = sentCount;
        for (int i = 0; i < count; i++) {
            int slot = sent[i];
            if (isSent[slot]) {
                isSent[slot] = false;
                events.partSent(slot);
            }
        }
        sentCount -= count;
        System.arraycopy(sent, count, sent, 0, sentCount);
    }

    @Override
    public void disconnect(int slot) {
        isPart[slot] = false;
        isSent[slot] = false;
        if (fds[slot] >= 0) {
            sockets.close(fds[slot]);
            fds[slot] = -1;
            generations[slot]++;
        }
    }

    @Override
    public void poll(Events events, long nanosMax) {
        long longest = unreadCount + sentCount > 0 ? 0 : nanosMax;
        events.waiting(longest);
        int count = epoll.await(longest);
        events.woken(count > 0);
        reportSent(events);
        readOn(events);
        for (int i = 0; i < count; i++) {
            long data = epoll.data(i);
            int slot = (int) data;
            if ((int) (data >>> 32) == generations[slot] && fds[slot] >= 0) {
                events.tick();
                report(events, slot, epoll.eventMask(i));
            }
        }
    }

    private void readOn(Events events) {
        int count = unreadCount;
        unreadCount = 0;
        for (int i = 0; i < count; i++) {
            int slot = unread[i];
            isUnread[slot] = false;
            if (fds[slot] >= 0 && !connecting[slot]) {
                read(events, slot, true);
            }
        }
    }

    private void report(Events events, int slot, int happened) {
        int generation = generations[slot];
        if (connecting[slot]) {
            if ((happened & (Epoll.OUT | Epoll.ERR | Epoll.HUP)) == 0) {
                return;
            }
            connected(events, slot);
        } else if ((happened & Epoll.OUT) != 0 && lengths[slot] > 0) {
            reportFailure(events, slot, sendRest(slot));
        }
        if ((happened & READABLE) != 0 && generation == generations[slot] && !connecting[slot]) {
            read(events, slot, (happened & ~(Epoll.IN | Epoll.OUT)) != 0);
        }
    }

    private void connected(Events events, int slot) {
        int error = sockets.pendingError(fds[slot]);
        if (error != 0) {
            events.failed(slot, error);
            return;
        }
        connecting[slot] = false;
        int generation = generations[slot];
        events.connected(slot);
        if (generation == generations[slot] && lengths[slot] > 0) {
            reportFailure(events, slot, sendRest(slot));
        }
    }

    private static void reportFailure(Events events, int slot, int result) {
        if (result < 0) {
            events.sendFailed(slot, -result);
        }
    }

    /// A piece that does not fill the buffer is the last one for now: more data makes a new event.
    ///
    /// @param toEnd whether the end of the stream may follow the last piece
    private void read(Events events, int slot, boolean toEnd) {
        int generation = generations[slot];
        for (int i = 0; i < READS_MAX; i++) {
            int result = sockets.receive(fds[slot], buffer, BUFFER_BYTES);
            if (result > 0) {
                events.received(slot, buffer, result);
            } else if (result == 0) {
                events.ended(slot);
            } else if (result == -AGAIN) {
                return;
            } else if (result != -INTERRUPTED) {
                events.failed(slot, -result);
            }
            boolean last = result > 0 && result < BUFFER_BYTES && !toEnd;
            if (last || generation != generations[slot]) {
                return;
            }
        }
        if (!isUnread[slot]) {
            isUnread[slot] = true;
            unread[unreadCount++] = slot;
        }
    }

    @Override
    public void close() {
        for (int slot = 0; slot < fds.length; slot++) {
            disconnect(slot);
        }
        epoll.close();
        Memory.unmap(buffer, BUFFER_BYTES);
    }
}
