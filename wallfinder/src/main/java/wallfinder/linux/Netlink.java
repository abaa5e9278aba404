package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/// A netlink socket. It stays in the network namespace of the thread that opens it. For one thread
/// at a time.
final class Netlink implements AutoCloseable {
    static final int ROUTE = 0;
    static final int REQUEST = 0x1;
    static final int ACK = 0x4;
    static final int CREATE_NEW = 0x600; // NLM_F_CREATE | NLM_F_EXCL
    static final int DUMP = SockDiagLayouts.NLM_F_DUMP;

    private static final int HEADER = 16;

    /// The kernel answers while we ask. This bound only keeps a broken kernel from blocking us
    /// forever.
    private static final long ANSWER_SECONDS_MAX = 10;

    private static final int RECEIVE_BYTES = 64 * 1024;

    /// Each part of a dump has at least one of the objects that the dump lists.
    private static final int PARTS_MAX = 1 << 16;

    private static final NativeFunction SOCKET = NativeFunction.ofInt("socket");
    private static final NativeFunction SETSOCKOPT = NativeFunction.ofInt("setsockopt");
    private static final NativeFunction SEND = NativeFunction.ofLong("send");
    private static final NativeFunction RECV = NativeFunction.ofLong("recv");

    private final MemorySegment received = Arena.ofAuto().allocate(RECEIVE_BYTES);
    private final int descriptor;
    private int sequence;

    /// @param descriptor of a netlink socket, which this object closes
    Netlink(int descriptor) {
        this.descriptor = descriptor;
    }

    /// Opens a socket in this thread's namespace with receive calls of [#ANSWER_SECONDS_MAX].
    static int socket(int protocol) {
        MemorySegment errno = Syscall.errnoSegment();
        int type = SockDiagLayouts.SOCK_RAW | SockDiagLayouts.SOCK_CLOEXEC;
        long made = SOCKET.call(errno, SockDiagLayouts.AF_NETLINK, type, protocol);
        int fd = (int) Syscall.check("socket(AF_NETLINK)", made);
        try (Arena arena = Arena.ofConfined()) {
            int level = SockDiagLayouts.SOL_SOCKET;
            int option = SockDiagLayouts.SO_RCVTIMEO;
            MemorySegment time = arena.allocateFrom(JAVA_LONG, ANSWER_SECONDS_MAX, 0L);
            long result = SETSOCKOPT.call(errno, fd, level, option, time.address(), 16);
            if (result < 0) {
                Syscall.closeQuietly(fd);
            }
            Syscall.check("setsockopt(SO_RCVTIMEO)", result);
            return fd;
        }
    }

    /// Sends a request that asks for an acknowledgement, and waits for it.
    ///
    /// @param what the purpose of the request, for the error message
    void request(String what, NetlinkMessage message) {
        send(what, message);
        boolean complete = false;
        while (!complete) { // ANSWER_SECONDS_MAX bounds each read
            complete = acknowledged(what, receive(what));
        }
    }

    /// Asks for all objects of a kind.
    ///
    /// @param each gets each answer from behind its header
    void dump(String what, NetlinkMessage message, Consumer<ByteBuffer> each) {
        send(what, message);
        for (int part = 0; part < PARTS_MAX; part++) {
            if (dumped(what, receive(what), each)) {
                return;
            }
        }
        throw new IllegalStateException("the kernel's answer has no end: " + what);
    }

    /// @return whether this is the end of the dump
    private boolean dumped(String what, ByteBuffer datagram, Consumer<ByteBuffer> each) {
        int at = 0;
        while (at + HEADER <= datagram.limit()) {
            int rest = datagram.limit() - at;
            int length = Math.clamp(datagram.getInt(at), HEADER, rest);
            int type = datagram.getShort(at + 4);
            if (datagram.getInt(at + 8) == sequence) {
                if (type == SockDiagLayouts.NLMSG_DONE || type == SockDiagLayouts.NLMSG_ERROR) {
                    boolean coded = length >= HEADER + Integer.BYTES;
                    Syscall.check(what, coded ? Math.min(0, datagram.getInt(at + HEADER)) : 0);
                    return true;
                }
                each.accept(datagram.slice(at + HEADER, length - HEADER).order(datagram.order()));
            }
            at += (length + 3) & ~3;
        }
        return false;
    }

    private void send(String what, NetlinkMessage message) {
        try (Arena scratch = Arena.ofConfined()) {
            ByteBuffer bytes = message.finished(++sequence);
            MemorySegment copy = scratch.allocate(bytes.remaining(), 4);
            copy.copyFrom(MemorySegment.ofBuffer(bytes));
            MemorySegment errno = Syscall.errnoSegment();
            Syscall.check(what, SEND.call(errno, descriptor, copy.address(), copy.byteSize(), 0));
        }
    }

    private ByteBuffer receive(String what) {
        MemorySegment errno = Syscall.errnoSegment();
        long length = RECV.call(errno, descriptor, received.address(), RECEIVE_BYTES, 0);
        Syscall.check(what, length);
        ByteBuffer copy = ByteBuffer.allocate((int) length).order(ByteOrder.nativeOrder());
        MemorySegment.ofBuffer(copy).copyFrom(received.asSlice(0, length));
        return copy;
    }

    private boolean acknowledged(String what, ByteBuffer datagram) {
        int at = 0;
        while (at + HEADER <= datagram.limit()) {
            int length = datagram.getInt(at);
            int type = datagram.getShort(at + 4);
            if (datagram.getInt(at + 8) == sequence && type == SockDiagLayouts.NLMSG_ERROR) {
                Syscall.check(what, datagram.getInt(at + HEADER));
                return true;
            }
            at += Math.max(HEADER, (length + 3) & ~3);
        }
        return false;
    }

    @Override
    public void close() {
        Syscall.closeQuietly(descriptor);
    }
}
