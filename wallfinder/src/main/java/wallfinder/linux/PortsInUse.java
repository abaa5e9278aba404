package wallfinder.linux;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// Counts the local ports in use for each pair of source and destination address. The same port can
/// serve another destination or source, so a shortage concerns one pair.
///
/// [SockDiag#portsInUse] fills it repeatedly. Counting a socket allocates nothing.
public final class PortsInUse {
    /// Sockets of pairs beyond this number are not counted.
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

    /// The ports in use towards this destination, from the source address that uses the most.
    public int used(InetSocketAddress destination) {
        return slotsOf(destination).map(slot -> counts[slot]).max().orElse(0);
    }

    /// The established connections from all our addresses to this destination.
    public int connected(InetSocketAddress destination) {
        return slotsOf(destination).map(slot -> connected[slot]).sum();
    }

    /// Those among them over which something was sent since anything came back.
    public int busy(InetSocketAddress destination) {
        return slotsOf(destination).map(slot -> busy[slot]).sum();
    }

    /// The destinations with most ports, the first of them with the most.
    public List<InetSocketAddress> destinations(int limit) {
        return IntStream.range(0, pairs)
                .mapToObj(i -> taken[i])
                .sorted(Comparator.comparingInt((Integer slot) -> counts[slot]).reversed())
                .map(slot -> destination(slot * KEY))
                .distinct()
                .limit(limit)
                .toList();
    }

    /// Whether a destination is an address of this network namespace: some connection to it comes
    /// from the address itself, or from the loopback.
    public boolean isLocal(InetSocketAddress destination) {
        InetAddress address = destination.getAddress();
        return address.isLoopbackAddress()
                || slotsOf(destination)
                        .mapToObj(slot -> address(keys[slot * KEY], keys[slot * KEY + 1]))
                        .anyMatch(source -> source.isLoopbackAddress() || source.equals(address));
    }

    private InetSocketAddress destination(int at) {
        return new InetSocketAddress(address(keys[at + 2], keys[at + 3]), (int) keys[at + 4]);
    }

    private IntStream slotsOf(InetSocketAddress destination) {
        long[] address = twoLongs(destination.getAddress());
        return IntStream.range(0, pairs)
                .map(i -> taken[i])
                .filter(slot ->
                        keys[slot * KEY + 2] == address[0]
                                && keys[slot * KEY + 3] == address[1]
                                && keys[slot * KEY + 4] == destination.getPort());
    }

    /// The ports in use towards the destination with the most ports in use, 0 if there is none.
    public int busiestUsed() {
        return valueAtMost(counts, counts);
    }

    /// The established connections to the destination that has the most of them. Another
    /// destination may have more ports in use, in TIME_WAIT.
    public int mostConnected() {
        return valueAtMost(connected, connected);
    }

    /// The connections among [#mostConnected] that wait for an answer.
    public int busyOfMostConnected() {
        return valueAtMost(connected, busy);
    }

    /// Counts some sockets instead of those before.
    public void count(List<OpenPort> open) {
        clear();
        for (OpenPort one : open) {
            long[] source = twoLongs(one.source());
            long[] address = twoLongs(one.destination().getAddress());
            add(
                    source[0],
                    source[1],
                    address[0],
                    address[1],
                    one.destination().getPort(),
                    one.use());
        }
    }

    void clear() {
        Arrays.fill(counts, 0);
        pairs = 0;
    }

    public enum Use {
        NONE,
        CONNECTED,
        BUSY
    }

    /// Counts one socket. Each address comes in two halves, IPv4 mapped into IPv6.
    void add(long sourceHigh, long sourceLow, long high, long low, int port, Use use) {
        int slot = hash(sourceHigh ^ high, sourceLow * 31 + low, port);
        for (int probe = 0; probe < SLOTS; probe++) {
            if (counts[slot] == 0) {
                if (pairs == PAIRS_MAX) {
                    return;
                }
                taken[pairs++] = slot;
                put(slot * KEY, sourceHigh, sourceLow, high, low, port);
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

    /// The value of the pair with the largest figure; 0 if there is no pair.
    private int valueAtMost(int[] figure, int[] value) {
        int best = -1;
        for (int i = 0; i < pairs; i++) {
            if (best < 0 || figure[taken[i]] > figure[best]) {
                best = taken[i];
            }
        }
        return best < 0 ? 0 : value[best];
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

    /// The address with these halves; an IPv4 address mapped into IPv6 becomes IPv4 again.
    static InetAddress address(long high, long low) {
        try {
            return InetAddress.getByAddress(
                    ByteBuffer.allocate(16).putLong(high).putLong(low).array());
        } catch (UnknownHostException e) {
            throw new AssertionError("16 bytes always form an address", e);
        }
    }

    private static long[] twoLongs(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.capacity() == 4
                ? new long[] {0, mapped(bytes.getInt())}
                : new long[] {bytes.getLong(), bytes.getLong()};
    }
}
