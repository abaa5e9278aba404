package wallfinder.load;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.HoldSpec;
import wallfinder.linux.Errno;
import wallfinder.linux.Memory;
import wallfinder.linux.Sockets;
import wallfinder.linux.UnixSocket;

/// Opens sockets from the sources of the plan and begins to connect them. If the target has several
/// ports, they take turns.
final class Connector implements AutoCloseable {
    /// How many (address, port) pairs are tried for one connection if they are in use. The pairs
    /// take turns: if the pair whose last use is longest ago is not free, few of the others are.
    static final int PAIRS_TRIED_MAX = 64;

    /// The same bound for pairs that another program has bound. There can be many in a row, and
    /// bind detects each in a microsecond.
    static final int PAIRS_SKIPPED_MAX = 4096;

    /// This many unanswered probes end a silent connection.
    private static final int KEEPALIVE_PROBES = 3;

    private static final int SLOT_BYTES = Sockets.ADDRESS_BYTES;

    private static final int NO_PORT = -Errno.EADDRNOTAVAIL.number();
    private static final int IN_USE = -Errno.EADDRINUSE.number();
    private static final int IN_PROGRESS = -Errno.EINPROGRESS.number();

    final Sockets sockets = new Sockets();
    private final boolean unix;
    private final boolean ipv6;
    private final boolean noDelay;
    private final int keepaliveSeconds;
    private final long memory;
    private final long memoryBytes;
    private final int targetLength;
    private final int sourceLength;
    private final int sourceCount;
    private final @Nullable SourcePlan ports;
    private final int targetPort;
    private final int targetPorts;
    private int turn;
    private int targetTurn;
    private long triesMax = PAIRS_TRIED_MAX;

    Connector(LoadPlan plan, int thread) {
        this(
                plan.target(),
                1,
                plan.keepalive() || plan.mix().anyBody(),
                0,
                plan.sources(),
                thread,
                plan.threads());
    }

    Connector(HoldPlan plan, int thread) {
        this(
                plan.target(),
                plan.spec().ports(),
                plan.spec().messages().kind() == HoldSpec.Kind.ECHO,
                (int) plan.spec().keepalive().toSeconds(),
                plan.sources(),
                thread,
                plan.threads());
        // The first pass skips all pairs that an earlier run has left in TIME_WAIT.
        triesMax = ports == null ? PAIRS_TRIED_MAX : Math.max(PAIRS_TRIED_MAX, ports.size());
    }

    private Connector(
            SocketAddress target,
            int targetPorts,
            boolean atOnce,
            int keepaliveSeconds,
            Sources from,
            int thread,
            int threads) {
        InetSocketAddress inet = target instanceof InetSocketAddress tcp ? tcp : null;
        List<InetAddress> sources = inet == null ? List.of() : addresses(from, inet);
        this.keepaliveSeconds = keepaliveSeconds;
        this.targetPorts = targetPorts;
        targetPort = inet == null ? 0 : inet.getPort();
        unix = inet == null;
        ipv6 = inet != null && inet.getAddress() instanceof Inet6Address;
        noDelay = inet != null && atOnce;
        sourceCount = sources.size();
        memoryBytes = (long) (sourceCount + 1) * SLOT_BYTES;
        memory = Memory.map(memoryBytes);
        targetLength =
                inet == null
                        ? UnixSocket.writeAddress(memory, target.toString())
                        : Sockets.writeAddress(memory, inet.getAddress(), inet.getPort());
        sourceLength = targetLength;
        for (int i = 0; i < sourceCount; i++) {
            Sockets.writeAddress(source(i), sources.get(i), 0);
        }
        ports =
                inet == null || from.portMin() == 0
                        ? null
                        : ports(from, inet, targetPorts, thread, threads, sources);
    }

    private static List<InetAddress> addresses(Sources sources, InetSocketAddress target) {
        if (!sources.addresses().isEmpty() || sources.portMin() == 0) {
            return sources.addresses();
        }
        byte[] any = new byte[target.getAddress().getAddress().length];
        try {
            return List.of(InetAddress.getByAddress(any));
        } catch (java.net.UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 bytes", e);
        }
    }

    private static SourcePlan ports(
            Sources sources,
            InetSocketAddress to,
            int targetPorts,
            int thread,
            int threads,
            List<InetAddress> addresses) {
        int[] share = SourcePlan.share(sources.portMin(), sources.portMax(), thread, threads);
        InetAddress target = to.getAddress();
        int own = addresses.indexOf(target);
        if (own < 0 && sources.addresses().isEmpty() && target.isLoopbackAddress()) {
            own = 0;
        }
        return new SourcePlan(addresses.size(), share[0], share[1], own, to.getPort(), targetPorts);
    }

    private long source(int index) {
        return memory + (long) (index + 1) * SLOT_BYTES;
    }

    /// A socket that is connecting or connected, or minus the errno. EADDRNOTAVAIL means that no
    /// free port was found.
    int open() {
        if (ports == null) {
            int fd = socket();
            return fd < 0 ? fd : connected(fd, bindInTurn(fd));
        }
        int result = NO_PORT;
        for (long i = 0; i < triesMax && result == NO_PORT; i++) {
            int fd = socket();
            result = fd < 0 ? fd : connected(fd, bindPlanned(fd, ports));
        }
        triesMax = result == NO_PORT ? PAIRS_TRIED_MAX : triesMax;
        return result == IN_USE ? NO_PORT : result;
    }

    private int socket() {
        return unix ? sockets.openUnix() : sockets.open(ipv6);
    }

    /// Connects a socket.
    ///
    /// @param bound result of its bind
    private int connected(int fd, int bound) {
        if (targetPorts > 1) {
            Sockets.writePort(memory, targetPort + destination());
        }
        int result = bound < 0 ? bound : sockets.connect(fd, memory, targetLength);
        if (result < 0 && result != IN_PROGRESS) {
            sockets.close(fd);
            return result;
        }
        withoutDelay(fd);
        keepAlive(fd);
        return fd;
    }

    private int destination() {
        if (ports != null) {
            return ports.destination;
        }
        targetTurn = targetTurn + 1 < targetPorts ? targetTurn + 1 : 0;
        return targetTurn;
    }

    /// Whether a ring can connect. It cannot if ports of the plan must be tried. A unix socket
    /// connects or fails at once, while a ring would wait for space in its queue.
    boolean preparable() {
        return ports == null && !unix;
    }

    /// A socket for a ring to connect to [#targetAddress], or minus the errno.
    int prepare() {
        int fd = sockets.openForRing(ipv6);
        if (fd < 0) {
            return fd;
        }
        int result = bindInTurn(fd);
        if (result < 0) {
            sockets.close(fd);
            return result;
        }
        withoutDelay(fd);
        return fd;
    }

    long targetAddress() {
        return memory;
    }

    int targetLength() {
        return targetLength;
    }

    private void withoutDelay(int fd) {
        if (noDelay) {
            sockets.setOption(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, 1);
        }
    }

    private void keepAlive(int fd) {
        if (keepaliveSeconds > 0) {
            sockets.setOption(fd, Sockets.SOL_SOCKET, Sockets.SO_KEEPALIVE, 1);
            sockets.setOption(fd, Sockets.IPPROTO_TCP, Sockets.TCP_KEEPIDLE, keepaliveSeconds);
            sockets.setOption(fd, Sockets.IPPROTO_TCP, Sockets.TCP_KEEPINTVL, keepaliveSeconds);
            sockets.setOption(fd, Sockets.IPPROTO_TCP, Sockets.TCP_KEEPCNT, KEEPALIVE_PROBES);
        }
    }

    private int bindPlanned(int fd, SourcePlan plan) {
        sockets.setOption(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR, 1);
        int result = IN_USE;
        for (int i = 0; i < PAIRS_SKIPPED_MAX && result == IN_USE; i++) {
            int pair = plan.next();
            if (pair >= 0) {
                long source = source(SourcePlan.address(pair));
                Sockets.writePort(source, SourcePlan.port(pair));
                result = sockets.bind(fd, source, sourceLength);
            }
        }
        return result;
    }

    private int bindInTurn(int fd) {
        if (sourceCount == 0) {
            return 0;
        }
        sockets.bindAddressNoPort(fd);
        turn = turn + 1 < sourceCount ? turn + 1 : 0;
        return sockets.bind(fd, source(turn), sourceLength);
    }

    @Override
    public void close() {
        Memory.unmap(memory, memoryBytes);
    }
}
