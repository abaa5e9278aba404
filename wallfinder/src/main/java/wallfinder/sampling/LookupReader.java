package wallfinder.sampling;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// Name lookups that wait for an answer: UDP sockets connected to port 53, from `/proc/net/udp` and
/// `udp6`. The resolvers of the C library (also for the JVM) and of Go open one socket per lookup
/// and close it with the answer. A socket that serves many lookups is not connected and does not
/// count.
final class LookupReader implements Reader {
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
    private Map<Long, Long> firstSeenNanos = new HashMap<>();

    /// @param procNet as in [NetstatReader]
    LookupReader(Path procNet, End end) {
        this(procNet, end, System::nanoTime);
    }

    LookupReader(Path procNet, End end, LongSupplier clock) {
        this.clock = clock;
        tables =
                List.of(
                        new Table(procNet, "udp", "sockstat", "UDP: inuse"),
                        new Table(procNet, "udp6", "sockstat6", "UDP6: inuse"));
        counters =
                List.of(
                        EndFigure.LOOKUPS_WAITING.at(end, SOURCE),
                        EndFigure.LOOKUPS_LONGEST.at(end, SOURCE));
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
        for (Table table : tables) {
            if (table.empty()) {
                read = true;
            } else if (table.sockets.read()) {
                read = true;
                collect(table.sockets.text(), now, seen);
            }
        }
        firstSeenNanos = seen;
        double waiting = 0;
        double longest = 0;
        for (long first : seen.values()) {
            double seconds = (now - first) / NANOS;
            if (seconds <= SECONDS_MAX) {
                waiting++;
                longest = Math.max(longest, seconds);
            }
        }
        values[from] = read ? waiting : Double.NaN;
        values[from + 1] = read ? longest : Double.NaN;
    }

    /// The columns are `sl local remote state queues timer retransmits uid timeout inode`.
    private void collect(KernelText text, long now, Map<Long, Long> seen) {
        text.nextLine();
        for (int i = 0; !text.atEnd() && i < SOCKETS_MAX; text.nextLine(), i++) {
            text.skipWords(2);
            String remote = text.word();
            int colon = remote.lastIndexOf(':');
            if (colon < 0
                    || Integer.parseInt(remote, colon + 1, remote.length(), 16) != NAME_SERVICE) {
                continue;
            }
            text.skipWords(6);
            long inode = (long) text.number();
            seen.put(inode, firstSeenNanos.getOrDefault(inode, now));
        }
    }

    @Override
    public void close() {
        tables.forEach(Table::close);
    }
}
