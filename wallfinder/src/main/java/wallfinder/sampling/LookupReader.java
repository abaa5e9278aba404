package wallfinder.sampling;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// Name lookups that wait for an answer: UDP sockets connected to port 53, from `/proc/net/udp` and
/// `udp6`. The resolvers of the C library (also for the JVM) and of Go open one socket per lookup
/// and close it with the answer. A socket that serves many lookups is not connected and does not
/// count.
///
/// On a network that other programs share, only the service's own sockets count. Whose they are
/// shows only in the descriptors of the service. It looks through these several times a second
/// while that is cheap. Samples with a socket that it does not know yet have `NaN` until then.
final class LookupReader implements Reader, Paced {
    private static final String SOURCE = "/proc/net/udp";
    private static final int NAME_SERVICE = 53;

    /// The C library gives up after 30 s by default. A socket that is open longer than this serves
    /// more than one lookup.
    private static final double SECONDS_MAX = 60;

    private static final int SOCKETS_MAX = 65_536;

    private static final double NANOS = 1e9;

    private final LongSupplier clock;
    private final List<Table> tables;
    private final List<Counter> counters;
    private final @Nullable OwnSockets own;
    private final Pace pace;
    private Map<Long, Long> firstSeenNanos = new HashMap<>();

    /// The sockets of which it is known whether they are the service's.
    private final Map<Long, Boolean> isOwn = new HashMap<>();

    /// Counts all sockets of the namespace.
    ///
    /// @param procNet as in [NetstatReader]
    LookupReader(Path procNet, End end) {
        this(procNet, end, null, System::nanoTime);
    }

    /// Counts the sockets of the service.
    ///
    /// @param own this reader closes it
    LookupReader(Path procNet, End end, OwnSockets own) {
        this(procNet, end, own, System::nanoTime);
    }

    LookupReader(Path procNet, End end, @Nullable OwnSockets own, LongSupplier clock) {
        this.clock = clock;
        this.own = own;
        pace = Pace.oftenIfCheap(clock);
        String source = own == null ? SOURCE : SOURCE + ", /proc/PID/fd";
        tables =
                List.of(
                        new Table(procNet, "udp", "sockstat", "UDP: inuse"),
                        new Table(procNet, "udp6", "sockstat6", "UDP6: inuse"));
        counters =
                List.of(
                        EndFigure.LOOKUPS_WAITING.at(end, source),
                        EndFigure.LOOKUPS_LONGEST.at(end, source),
                        EndFigure.UDP_OTHERS.at(end, SOURCE));
    }

    /// Listing the sockets makes the kernel walk its whole hash table, however few there are. The
    /// list is therefore not read if there is no socket.
    private static final class Table {
        private final SampledFile sockets;
        private final SampledFile level;
        private final byte[] inUse;

        Table(Path procNet, String sockets, String level, String inUse) {
            this.sockets = new SampledFile(procNet.resolve(sockets));
            this.level = new SampledFile(procNet.resolve(level));
            this.inUse = KernelText.key(inUse);
        }

        boolean empty() {
            return level.valueOf(inUse) == 0;
        }

        void close() {
            sockets.close();
            level.close();
        }
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        long now = clock.getAsLong();
        Map<Long, Long> seen = new HashMap<>();
        boolean read = false;
        int others = 0;
        for (Table table : tables) {
            if (table.empty()) {
                read = true;
            } else if (table.sockets.read()) {
                read = true;
                others += collect(table.sockets.text(), now, seen);
            }
        }
        firstSeenNanos = seen;
        values[from + 2] = read && own == null ? others : Double.NaN;
        read &= sorted(seen.keySet());
        double waiting = 0;
        double longest = 0;
        for (Map.Entry<Long, Long> socket : seen.entrySet()) {
            double seconds = (now - socket.getValue()) / NANOS;
            if (seconds <= SECONDS_MAX && isOwn.getOrDefault(socket.getKey(), own == null)) {
                waiting++;
                longest = Math.max(longest, seconds);
            }
        }
        values[from] = read ? waiting : Double.NaN;
        values[from + 1] = read ? longest : Double.NaN;
    }

    /// Finds out which of the sockets are the service's.
    ///
    /// @return whether this is known of all
    private boolean sorted(Set<Long> sockets) {
        if (own == null) {
            return true;
        }
        isOwn.keySet().retainAll(sockets);
        Set<Long> unknown = new HashSet<>(sockets);
        unknown.removeAll(isOwn.keySet());
        OwnSockets service = own;
        return unknown.isEmpty()
                || pace.run(() -> {
                    Set<Long> its = service.among(unknown);
                    unknown.forEach(socket -> isOwn.put(socket, its.contains(socket)));
                });
    }

    @Override
    public void readInFullNext() {
        pace.force();
    }

    @Override
    public void hurry() {
        pace.hurry();
    }

    /// The columns are `sl local remote state queues timer retransmits uid timeout inode`.
    ///
    /// @return the number of sockets of other kinds
    private int collect(KernelText text, long now, Map<Long, Long> seen) {
        int others = 0;
        text.nextLine();
        for (int i = 0; !text.atEnd() && i < SOCKETS_MAX; text.nextLine(), i++) {
            text.skipWords(2);
            String remote = text.word();
            int colon = remote.lastIndexOf(':');
            if (colon < 0
                    || Integer.parseInt(remote, colon + 1, remote.length(), 16) != NAME_SERVICE) {
                others++;
                continue;
            }
            text.skipWords(6);
            long inode = (long) text.number();
            seen.put(inode, firstSeenNanos.getOrDefault(inode, now));
        }
        return others;
    }

    @Override
    public void close() {
        tables.forEach(Table::close);
        if (own != null) {
            own.close();
        }
    }
}
