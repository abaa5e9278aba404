package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static wallfinder.linux.SockDiagLayouts.INET_DIAG_BC_OP;
import static wallfinder.linux.SockDiagLayouts.INET_DIAG_MSG;
import static wallfinder.linux.SockDiagLayouts.INET_DIAG_REQ;
import static wallfinder.linux.SockDiagLayouts.NLMSGHDR;
import static wallfinder.linux.SockDiagLayouts.RTATTR;
import static wallfinder.linux.SockDiagLayouts.SOCKADDR_NL;
import static wallfinder.linux.SockDiagLayouts.offset;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Asks the kernel about its TCP sockets by netlink (`sock_diag(7)`).
///
/// It asks about the network namespace of the thread that opened it, whichever thread uses it. It
/// reuses its buffers and makes one dump at a time.
public final class SockDiag implements AutoCloseable {
    private static final NativeFunction SENDTO = NativeFunction.ofLong("sendto");
    private static final NativeFunction RECV = NativeFunction.ofLong("recv");

    private static final ValueLayout.OfShort NETWORK_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt NETWORK_INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong NETWORK_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final long HEADER = NLMSGHDR.byteSize();
    private static final long TYPE = offset(NLMSGHDR, "nlmsg_type");
    private static final long FLAGS = offset(NLMSGHDR, "nlmsg_flags");
    private static final long SEQUENCE = offset(NLMSGHDR, "nlmsg_seq");
    private static final long FAMILY = offset(INET_DIAG_MSG, "idiag_family");
    private static final long STATE = offset(INET_DIAG_MSG, "idiag_state");
    private static final long SOURCE_PORT = offset(INET_DIAG_MSG, "id", "idiag_sport");
    private static final long PORT = offset(INET_DIAG_MSG, "id", "idiag_dport");
    private static final long SOURCE = offset(INET_DIAG_MSG, "id", "idiag_src");
    private static final long DESTINATION = offset(INET_DIAG_MSG, "id", "idiag_dst");
    private static final long RQUEUE = offset(INET_DIAG_MSG, "idiag_rqueue");
    private static final long WQUEUE = offset(INET_DIAG_MSG, "idiag_wqueue");
    private static final long COOKIE = offset(INET_DIAG_MSG, "id", "idiag_cookie");
    private static final long UID = offset(INET_DIAG_MSG, "idiag_uid");
    private static final long INODE = offset(INET_DIAG_MSG, "idiag_inode");

    /// The kernel fills 32 KiB at a time; this is enough for two messages.
    private static final int BUFFER_BYTES = 64 << 10;

    private static final int REQUEST_BYTES_MAX = 256;

    /// Enough for 200 million sockets, at 200 sockets per reply.
    private static final int RECEIVES_MAX = 1 << 20;

    /// After this many attempts a dump counts even if the kernel marks it as interrupted.
    private static final int ATTEMPTS_MAX = 3;

    // Native calls get the addresses of these only under our lock, which keeps them alive.
    private final MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_BYTES, 8);
    private final MemorySegment request = Arena.ofAuto().allocate(REQUEST_BYTES_MAX, 8);
    private final MemorySegment kernel = Arena.ofAuto().allocate(SOCKADDR_NL);
    private int descriptor;
    private int sequence;
    private final UnixDiag unix;

    /// @param descriptor of a netlink socket, which this object closes
    SockDiag(int descriptor) {
        this.descriptor = descriptor;
        unix = new UnixDiag(descriptor);
        kernel.set(JAVA_SHORT, 0, (short) SockDiagLayouts.AF_NETLINK);
    }

    /// The sockets that the kernel reports in a dump. It walks over all sockets in any case.
    private record Ports(PortOf whose, int min, int max) {
        static final Ports ALL = new Ports(PortOf.THIS_END, 0, 0xffff);
    }

    private interface Visitor {
        /// @param at the offset of the `inet_diag_msg` in the buffer
        /// @param end where its attributes end
        void visit(int family, long at, long end);
    }

    /// Gets the connections of a dump one after the other.
    public interface Connections {
        /// Drops what an earlier attempt has collected.
        void clear();

        void add(TcpConnection connection);
    }

    public static SockDiag open() {
        return new SockDiag(Netlink.socket(SockDiagLayouts.NETLINK_SOCK_DIAG));
    }

    /// All listening TCP sockets of the namespace. The kernel does not walk over the connections.
    public synchronized List<Listener> listeners() {
        List<Listener> found = new ArrayList<>();
        dump(
                TcpState.LISTEN.bit(),
                1 << (SockDiagLayouts.INET_DIAG_SKMEMINFO - 1),
                Ports.ALL,
                found::clear,
                (family, at, end) -> found.add(listener(family, at, end)));
        return found;
    }

    /// The number of TCP sockets in each state. The kernel walks its whole table.
    public synchronized Map<TcpState, Integer> countByState() {
        Map<TcpState, Integer> counts = new EnumMap<>(TcpState.class);
        dump(
                TcpState.ALL,
                0,
                Ports.ALL,
                counts::clear,
                (family, at, end) -> counts.merge(state(at), 1, Integer::sum));
        return counts;
    }

    /// Counts the local ports of a range that are in use, in any state, TIME_WAIT included, by
    /// source and destination. Leaves out ports with a listener: their connections came in. The
    /// kernel filters by the range, but walks its whole table.
    ///
    /// @param into gets the counts and loses its earlier ones
    public synchronized void portsInUse(int portMin, int portMax, PortsInUse into) {
        ports(portMin, portMax, into::clear, (family, at, end) -> count(family, at, end, into));
    }

    /// Counts the same sockets, and returns those that processes have.
    public synchronized List<OpenPort> openPorts(int portMin, int portMax, PortsInUse into) {
        List<OpenPort> open = new ArrayList<>();
        ports(
                portMin,
                portMax,
                () -> {
                    into.clear();
                    open.clear();
                },
                (family, at, end) -> {
                    count(family, at, end, into);
                    if (inode(at) != 0) {
                        open.add(openPort(family, at, end));
                    }
                });
        return open;
    }

    private void count(int family, long at, long end, PortsInUse into) {
        into.add(
                high(family, at + SOURCE),
                low(family, at + SOURCE),
                high(family, at + DESTINATION),
                low(family, at + DESTINATION),
                port(at + PORT),
                use(at, end));
    }

    private OpenPort openPort(int family, long at, long end) {
        return new OpenPort(
                inode(at),
                address(family, at + SOURCE),
                new InetSocketAddress(address(family, at + DESTINATION), port(at + PORT)),
                use(at, end));
    }

    /// The connections of unix stream sockets, accepted or not.
    public synchronized List<UnixConnection> unixConnections() {
        return unix.connections();
    }

    public synchronized List<UnixListener> unixListeners() {
        return unix.listeners();
    }

    private void ports(int portMin, int portMax, Runnable restart, Visitor visitor) {
        BitSet listened = new BitSet();
        listeners().forEach(l -> listened.set(l.port()));
        dump(
                TcpState.HOLDING_A_PORT,
                1 << (SockDiagLayouts.INET_DIAG_INFO - 1),
                new Ports(PortOf.THIS_END, portMin, portMax),
                restart,
                (family, at, end) -> {
                    if (!listened.get(port(at + SOURCE_PORT))) {
                        visitor.visit(family, at, end);
                    }
                });
    }

    /// The number of established sockets with a port of the range at the given end. The kernel
    /// walks its whole table.
    public synchronized long established(PortOf whose, int portMin, int portMax) {
        long[] count = {0};
        dump(
                TcpState.ESTABLISHED.bit(),
                0,
                new Ports(whose, portMin, portMax),
                () -> count[0] = 0,
                (family, at, end) -> count[0]++);
        return count[0];
    }

    /// Whether the namespace has this end of a connection, in any state. The kernel walks its whole
    /// table.
    public synchronized boolean has(InetSocketAddress thisEnd, InetSocketAddress otherEnd) {
        boolean[] found = {false};
        dump(
                TcpState.HOLDING_A_PORT,
                0,
                new Ports(PortOf.OTHER_END, otherEnd.getPort(), otherEnd.getPort()),
                () -> found[0] = false,
                (family, at, end) ->
                        found[0] |=
                                port(at + SOURCE_PORT) == thisEnd.getPort()
                                        && address(family, at + SOURCE).equals(thisEnd.getAddress())
                                        && address(family, at + DESTINATION)
                                                .equals(otherEnd.getAddress()));
        return found[0];
    }

    /// Most connections have nothing to send, and the first check excludes them.
    private boolean heldBack(long at, long end) {
        if (buffer.get(JAVA_INT, at + WQUEUE) == 0) {
            return false;
        }
        long info = attribute(SockDiagLayouts.INET_DIAG_INFO, at + INET_DIAG_MSG.byteSize(), end);
        return info >= 0
                && info + SockDiagLayouts.TCPI_NOTSENT_BYTES + 4 <= end
                && TcpInfo.heldBack(buffer, info);
    }

    /// The connections to some ports of this end that can send, accepted or not. The kernel walks
    /// its whole table.
    public synchronized void connections(int[] ports, Connections connections) {
        int min = Arrays.stream(ports).min().orElseThrow();
        int max = Arrays.stream(ports).max().orElseThrow();
        dump(
                TcpState.SENDING,
                1 << (SockDiagLayouts.INET_DIAG_INFO - 1)
                        | 1 << (SockDiagLayouts.INET_DIAG_SKMEMINFO - 1),
                new Ports(PortOf.THIS_END, min, max),
                connections::clear,
                (family, at, end) -> connections.add(connection(family, at, end)));
    }

    private TcpConnection connection(int family, long at, long end) {
        boolean open = state(at) == TcpState.ESTABLISHED;
        return new TcpConnection(
                high(family, at + SOURCE),
                low(family, at + SOURCE),
                port(at + SOURCE_PORT),
                buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, at + COOKIE),
                open && buffer.get(JAVA_INT, at + RQUEUE) != 0,
                open && heldBack(at, end),
                sending(at + INET_DIAG_MSG.byteSize(), end));
    }

    private @Nullable Sending sending(long attributes, long end) {
        long info = attribute(SockDiagLayouts.INET_DIAG_INFO, attributes, end);
        return info < 0
                ? null
                : TcpInfo.sending(
                        buffer,
                        info,
                        end,
                        memory(SockDiagLayouts.SK_MEMINFO_SNDBUF, attributes, end));
    }

    @Override
    public synchronized void close() {
        if (descriptor >= 0) {
            Syscall.closeQuietly(descriptor);
            descriptor = -1;
        }
    }

    /// Visits all sockets of IPv4 and IPv6 in one walk, by the request that the kernel has kept
    /// from before `sock_diag` (`inet_diag_rcv_msg_compat`, net/ipv4/inet_diag.c). The newer one
    /// takes a walk for each family.
    ///
    /// @param restart drops what an earlier attempt has collected
    private void dump(int states, int extensions, Ports ports, Runnable restart, Visitor visitor) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            restart.run();
            send(writeRequest(states, extensions, ports));
            if (!receive(visitor)) {
                return;
            }
        }
    }

    private long writeRequest(int states, int extensions, Ports ports) {
        request.fill((byte) 0);
        request.set(JAVA_SHORT, TYPE, (short) SockDiagLayouts.TCPDIAG_GETSOCK);
        int flags = SockDiagLayouts.NLM_F_REQUEST | SockDiagLayouts.NLM_F_DUMP;
        request.set(JAVA_SHORT, FLAGS, (short) flags);
        request.set(JAVA_INT, SEQUENCE, ++sequence);
        MemorySegment body = request.asSlice(HEADER);
        body.set(JAVA_BYTE, offset(INET_DIAG_REQ, "idiag_ext"), (byte) extensions);
        body.set(JAVA_INT, offset(INET_DIAG_REQ, "idiag_states"), states);
        long length = HEADER + INET_DIAG_REQ.byteSize();
        // The JVM would generate `equals` at each start.
        if (ports.min > 0 || ports.max < 0xffff) {
            length += writePortFilter(length, ports);
        }
        request.set(JAVA_INT, 0, (int) length);
        return length;
    }

    /// Writes two instructions, each followed by the port that it compares. A jump to the end
    /// accepts the socket, a jump four bytes further rejects it.
    private long writePortFilter(long at, Ports ports) {
        long step = INET_DIAG_BC_OP.byteSize();
        long length = RTATTR.byteSize() + 4 * step;
        request.set(JAVA_SHORT, at, (short) length);
        request.set(JAVA_SHORT, at + 2, (short) SockDiagLayouts.INET_DIAG_REQ_BYTECODE);
        long code = at + RTATTR.byteSize();
        writeInstruction(code, ports.whose.least, 2 * step, 5 * step);
        writeInstruction(code + step, 0, 0, ports.min);
        writeInstruction(code + 2 * step, ports.whose.most, 2 * step, 3 * step);
        writeInstruction(code + 3 * step, 0, 0, ports.max);
        return length;
    }

    private void writeInstruction(long at, int code, long yes, long no) {
        request.set(JAVA_BYTE, at + offset(INET_DIAG_BC_OP, "code"), (byte) code);
        request.set(JAVA_BYTE, at + offset(INET_DIAG_BC_OP, "yes"), (byte) yes);
        request.set(JAVA_SHORT, at + offset(INET_DIAG_BC_OP, "no"), (short) no);
    }

    private void send(long length) {
        MemorySegment errno = Syscall.errnoSegment();
        long from = request.address();
        long to = kernel.address();
        long toBytes = SOCKADDR_NL.byteSize();
        long sent = SENDTO.call(errno, descriptor, from, length, 0, to, toBytes);
        Syscall.check("sendto(NETLINK_SOCK_DIAG)", sent);
    }

    /// @return whether the kernel reports that changes to its table made the dump inconsistent
    private boolean receive(Visitor visitor) {
        boolean interrupted = false;
        for (int i = 0; i < RECEIVES_MAX; i++) {
            long length = receiveOnce();
            for (long at = 0; at + HEADER <= length; ) {
                long size = messageSize(at, length);
                int type = buffer.get(JAVA_SHORT, at + TYPE);
                if (buffer.get(JAVA_INT, at + SEQUENCE) == sequence) {
                    int flags = buffer.get(JAVA_SHORT, at + FLAGS);
                    interrupted |= (flags & SockDiagLayouts.NLM_F_DUMP_INTR) != 0;
                    if (type == SockDiagLayouts.NLMSG_DONE || type == SockDiagLayouts.NLMSG_ERROR) {
                        failIfRefused(at, size);
                        return interrupted;
                    }
                    if (size >= HEADER + INET_DIAG_MSG.byteSize()) {
                        int family = buffer.get(JAVA_BYTE, at + HEADER + FAMILY);
                        visitor.visit(family, at + HEADER, at + size);
                    }
                }
                at += (size + 3) & ~3L;
            }
        }
        throw unreadable("has no end");
    }

    private static EnvironmentException unreadable(String how) {
        return new EnvironmentException(
                "cannot list the TCP sockets", "the kernel's answer " + how, "report this");
    }

    private long messageSize(long at, long length) {
        long size = buffer.get(JAVA_INT, at);
        if (size < HEADER || at + size > length) {
            throw unreadable("has a message of " + size + " bytes at " + at + " of " + length);
        }
        return size;
    }

    /// Both the end of a dump and an error contain minus the errno, or zero.
    private void failIfRefused(long at, long size) {
        int code = size >= HEADER + Integer.BYTES ? buffer.get(JAVA_INT, at + HEADER) : 0;
        if (code == -Errno.ENOENT.number()) {
            throw new EnvironmentException(
                    "cannot list the TCP sockets",
                    "this kernel does not support it (ENOENT from sock_diag)",
                    "load its module: modprobe tcp_diag");
        }
        Syscall.check("dump of TCP sockets by sock_diag", Math.min(0, code));
    }

    private long receiveOnce() {
        MemorySegment errno = Syscall.errnoSegment();
        long got = -Errno.EINTR.number();
        for (int i = 0; i < ATTEMPTS_MAX && got == -Errno.EINTR.number(); i++) {
            long size = buffer.byteSize();
            got = RECV.call(errno, descriptor, buffer.address(), size, SockDiagLayouts.MSG_TRUNC);
        }
        Syscall.check("recv(NETLINK_SOCK_DIAG)", got);
        if (got > buffer.byteSize()) {
            throw unreadable("has " + got + " bytes, which are too many");
        }
        return got;
    }

    private Listener listener(int family, long at, long end) {
        return new Listener(
                address(family, at + SOURCE),
                port(at + SOURCE_PORT),
                Integer.toUnsignedLong(buffer.get(JAVA_INT, at + RQUEUE)),
                Integer.toUnsignedLong(buffer.get(JAVA_INT, at + WQUEUE)),
                memory(SockDiagLayouts.SK_MEMINFO_DROPS, at + INET_DIAG_MSG.byteSize(), end),
                inode(at),
                buffer.get(JAVA_INT, at + UID));
    }

    private long inode(long at) {
        return Integer.toUnsignedLong(buffer.get(JAVA_INT, at + INODE));
    }

    /// One of the figures about the memory of a socket; 0 if the kernel does not report it.
    private long memory(int index, long attributes, long end) {
        long at = attribute(SockDiagLayouts.INET_DIAG_SKMEMINFO, attributes, end);
        long figure = at + index * 4L;
        return at >= 0 && figure + 4 <= end
                ? Integer.toUnsignedLong(buffer.get(JAVA_INT, figure))
                : 0;
    }

    private long attribute(int wanted, long attributes, long end) {
        for (long at = attributes; at + RTATTR.byteSize() <= end; ) {
            int size = Short.toUnsignedInt(buffer.get(JAVA_SHORT, at));
            int type = buffer.get(JAVA_SHORT, at + 2) & 0x3fff;
            if (type == wanted) {
                return at + RTATTR.byteSize();
            }
            at += Math.max(4, (size + 3) & ~3);
        }
        return -1;
    }

    private PortsInUse.Use use(long at, long end) {
        if (state(at) != TcpState.ESTABLISHED) {
            return PortsInUse.Use.NONE;
        }
        long info = attribute(SockDiagLayouts.INET_DIAG_INFO, at + INET_DIAG_MSG.byteSize(), end);
        return info >= 0
                        && info + SockDiagLayouts.TCPI_DATA_SEGS_OUT + 4 <= end
                        && TcpInfo.waits(buffer, info)
                ? PortsInUse.Use.BUSY
                : PortsInUse.Use.CONNECTED;
    }

    private TcpState state(long at) {
        return TcpState.of(buffer.get(JAVA_BYTE, at + STATE));
    }

    private int port(long at) {
        return Short.toUnsignedInt(buffer.get(NETWORK_SHORT, at));
    }

    private InetAddress address(int family, long at) {
        return PortsInUse.address(high(family, at), low(family, at));
    }

    private long high(int family, long at) {
        return family == SockDiagLayouts.AF_INET ? 0 : buffer.get(NETWORK_LONG, at);
    }

    private long low(int family, long at) {
        return family == SockDiagLayouts.AF_INET
                ? PortsInUse.mapped(buffer.get(NETWORK_INT, at))
                : buffer.get(NETWORK_LONG, at + 8);
    }
}
