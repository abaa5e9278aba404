package wallfinder.linux;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What `sock_diag(7)` says about the unix sockets of a network namespace.
final class UnixDiag {
    private static final int STREAM = 1; // SOCK_STREAM
    private static final int INODE = (int) offset("udiag_ino");
    private static final int TYPE = (int) offset("udiag_type");
    private static final int FIXED = (int) SockDiagLayouts.UNIX_DIAG_MSG.byteSize();

    private final int descriptor;
    private @Nullable Netlink netlink;

    /// @param descriptor of a socket of `NETLINK_SOCK_DIAG`, which the caller closes
    UnixDiag(int descriptor) {
        this.descriptor = descriptor;
    }

    private static long offset(String name) {
        return SockDiagLayouts.offset(SockDiagLayouts.UNIX_DIAG_MSG, name);
    }

    /// Empty if this kernel does not report unix sockets.
    List<UnixConnection> connections() {
        return asked(UnixDiag::connections);
    }

    /// Empty if this kernel does not report unix sockets.
    List<UnixListener> listeners() {
        return asked(UnixDiag::listeners);
    }

    private <T> List<T> asked(Function<Netlink, List<T>> question) {
        Netlink kernel = netlink == null ? new Netlink(descriptor) : netlink;
        netlink = kernel;
        try {
            return question.apply(kernel);
        } catch (SyscallException e) {
            if (e.errno() == Errno.ENOENT) {
                return List.of();
            }
            throw e;
        }
    }

    private static List<UnixListener> listeners(Netlink kernel) {
        List<UnixListener> found = new ArrayList<>();
        NetlinkMessage request = request(TcpState.LISTEN.bit(), SockDiagLayouts.UDIAG_SHOW_NAME);
        dump(
                kernel,
                request,
                (inode, values) -> {
                    String name = name(values.get(SockDiagLayouts.UNIX_DIAG_NAME));
                    if (name != null) {
                        found.add(new UnixListener(inode, name));
                    }
                });
        return found;
    }

    /// Only the socket that listens, and those accepted from it, have a name. So an end that
    /// connected gets its name from its peer, or from the listener that it waits for.
    private static List<UnixConnection> connections(Netlink kernel) {
        Map<Long, String> names = new HashMap<>();
        Map<Long, Long> peers = new HashMap<>();
        List<UnixConnection> found = new ArrayList<>();
        int states = TcpState.ESTABLISHED.bit() | TcpState.LISTEN.bit();
        int show =
                SockDiagLayouts.UDIAG_SHOW_NAME
                        | SockDiagLayouts.UDIAG_SHOW_PEER
                        | SockDiagLayouts.UDIAG_SHOW_ICONS;
        dump(
                kernel,
                request(states, show),
                (inode, values) -> {
                    String name = name(values.get(SockDiagLayouts.UNIX_DIAG_NAME));
                    if (name == null) {
                        peers.put(inode, number(values.get(SockDiagLayouts.UNIX_DIAG_PEER)));
                    } else {
                        names.put(inode, name);
                        waiting(values.get(SockDiagLayouts.UNIX_DIAG_ICONS))
                                .forEach(one -> found.add(new UnixConnection(one, name)));
                    }
                });
        peers.forEach((inode, peer) -> {
            String name = names.get(peer);
            if (name != null) {
                found.add(new UnixConnection(inode, name));
            }
        });
        return found;
    }

    /// @param found gets the number of each stream socket, and what was asked about it
    private static void dump(
            Netlink kernel,
            NetlinkMessage request,
            BiConsumer<Long, Map<Integer, ByteBuffer>> found) {
        kernel.dump(
                "dump of unix sockets by sock_diag",
                request,
                message -> {
                    if (message.limit() >= FIXED && message.get(TYPE) == STREAM) {
                        found.accept(
                                Integer.toUnsignedLong(message.getInt(INODE)),
                                NetlinkAttributes.of(NetlinkAttributes.after(message, FIXED)));
                    }
                });
    }

    private static NetlinkMessage request(int states, int show) {
        return new NetlinkMessage(
                        SockDiagLayouts.SOCK_DIAG_BY_FAMILY, Netlink.REQUEST | Netlink.DUMP)
                .unixSockets(states, show);
    }

    private static @Nullable String name(@Nullable ByteBuffer value) {
        if (value == null || !value.hasRemaining()) {
            return null;
        }
        String text = StandardCharsets.UTF_8.decode(value.duplicate()).toString();
        return text.charAt(0) == '\0' ? "@" + text.substring(1) : text.replace("\0", "");
    }

    private static long number(@Nullable ByteBuffer value) {
        return value == null || value.remaining() < Integer.BYTES
                ? 0
                : Integer.toUnsignedLong(value.getInt(value.position()));
    }

    /// The ends whose connections the listener has not accepted.
    private static List<Long> waiting(@Nullable ByteBuffer value) {
        List<Long> inodes = new ArrayList<>();
        for (int at = 0;
                value != null && at + Integer.BYTES <= value.limit();
                at += Integer.BYTES) {
            inodes.add(Integer.toUnsignedLong(value.getInt(at)));
        }
        return inodes;
    }
}
