package wallfinder.linux;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// How many local ports are held by source and destination. A local port is free again for another
/// destination and for another source, so the wall stands before one pair of them.
///
/// Filled by [SockDiag#portsInUse] again and again: nothing is allocated for a socket.
public final class PortsInUse {
    /// Sockets of more pairs than these are not counted.
    public static final int PAIRS_MAX = 16_384;

    private static final int SLOTS = 2 * PAIRS_MAX;
    private static final int KEY = 5;
    private static final long MAPPED = 0xffffL << 32;

    private final long[] keys = new long[SLOTS * KEY];
    private final int[] counts = new int[SLOTS];
    private final int[] connected = new int[SLOTS];
    private final int[] busy = new int[SLOTS];
    private final int[] taken = new int[PAIRS_MAX];
    private int pairs;

    /// The most ports that any of our addresses holds towards this destination.
    public int used(InetSocketAddress destination) {
        long[] address = twoLongs(destination.getAddress());
        int most = 0;
        for (int i = 0; i < pairs; i++) {
            int at = taken[i] * KEY;
            if (keys[at + 2] == address[0]
                    && keys[at + 3] == address[1]
                    && keys[at + 4] == destination.getPort()) {
                most = Math.max(most, counts[taken[i]]);
            }
        }
        return most;
    }

    /// The ports held towards the busiest destination, 0 if there is none.
    public int busiestUsed() {
        int slot = busiestSlot();
        return slot < 0 ? 0 : counts[slot];
    }

    /// The established connections to the destination that has the most of them. Another
    /// destination may hold more ports in TIME_WAIT.
    public int mostConnected() {
        int slot = slotOfMost(connected);
        return slot < 0 ? 0 : connected[slot];
    }

    /// Those among them over which something was sent since anything came back.
    public int busyOfMostConnected() {
        int slot = slotOfMost(connected);
        return slot < 0 ? 0 : busy[slot];
    }

    void clear() {
        Arrays.fill(counts, 0);
        pairs = 0;
    }

    /// How a socket is counted beside the port that it holds.
    enum Use {
        NONE,
        CONNECTED,
        BUSY
    }

    /// Counts one socket. Addresses are given as two halves, IPv4 mapped into IPv6.
    void add(long sourceHigh, long sourceLow, long high, long low, int port, Use use) {
        int slot = hash(sourceHigh ^ high, sourceLow * 31 + low, port);
        for (int probe = 0; probe < SLOTS; probe++) {
            if (counts[slot] == 0) {
                if (pairs == PAIRS_MAX) {
                    return;
                }
                taken[pairs++] = slot;
                put(slot * KEY, sourceHigh, sourceLow, high, low, port);
                counts[slot] = 0;
                connected[slot] = 0;
                busy[slot] = 0;
            }
            if (same(slot * KEY, sourceHigh, sourceLow, high, low, port)) {
                counts[slot]++;
                connected[slot] += use == Use.NONE ? 0 : 1;
                busy[slot] += use == Use.BUSY ? 1 : 0;
                return;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
    }

    static long mapped(int ipv4) {
        return MAPPED | (ipv4 & 0xffffffffL);
    }

    private int busiestSlot() {
        return slotOfMost(counts);
    }

    private int slotOfMost(int[] figure) {
        int best = -1;
        for (int i = 0; i < pairs; i++) {
            if (best < 0 || figure[taken[i]] > figure[best]) {
                best = taken[i];
            }
        }
        return best;
    }

    private static int hash(long a, long b, int port) {
        long mixed = (a * 0x9E3779B97F4A7C15L + b) * 0xC2B2AE3D27D4EB4FL + port;
        return (int) ((mixed * 0x9E3779B97F4A7C15L) >>> 40) & (SLOTS - 1);
    }

    private void put(int at, long sourceHigh, long sourceLow, long high, long low, int port) {
        keys[at] = sourceHigh;
        keys[at + 1] = sourceLow;
        keys[at + 2] = high;
        keys[at + 3] = low;
        keys[at + 4] = port;
    }

    private boolean same(int at, long sourceHigh, long sourceLow, long high, long low, int port) {
        return keys[at] == sourceHigh
                && keys[at + 1] == sourceLow
                && keys[at + 2] == high
                && keys[at + 3] == low
                && keys[at + 4] == port;
    }

    /// The address of two halves; one mapped into IPv6 becomes IPv4 again.
    static InetAddress address(long high, long low) {
        try {
            return InetAddress.getByAddress(
                    ByteBuffer.allocate(16).putLong(high).putLong(low).array());
        } catch (UnknownHostException e) {
            throw new AssertionError("sixteen bytes are an address", e);
        }
    }

    private static long[] twoLongs(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.capacity() == 4
                ? new long[] {0, mapped(bytes.getInt())}
                : new long[] {bytes.getLong(), bytes.getLong()};
    }
}
