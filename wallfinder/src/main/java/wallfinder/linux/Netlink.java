package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A netlink socket in the network namespace of the thread that opens it, which stays its
/// namespace. Used by one thread at a time.
final class Netlink implements AutoCloseable {
    static final int ROUTE = 0;
    static final int REQUEST = 0x1;
    static final int ACK = 0x4;
    static final int CREATE_NEW = 0x600; // NLM_F_CREATE | NLM_F_EXCL

    private static final int HEADER = 16;
    private static final int TYPE_ERROR = 2;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final long ANSWER_SECONDS_MAX = 10;
    private static final int RECEIVE_BYTES = 64 * 1024;

    private static final NativeFunction SOCKET = NativeFunction.ofInt("socket");
    private static final NativeFunction SETSOCKOPT = NativeFunction.ofInt("setsockopt");
    private static final NativeFunction SEND = NativeFunction.ofLong("send");
    private static final NativeFunction RECV = NativeFunction.ofLong("recv");
    private static final NativeFunction CLOSE = NativeFunction.ofInt("close");

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment errno = Syscall.errnoSegment();
    private final MemorySegment received = arena.allocate(RECEIVE_BYTES);
    private final int descriptor;
    private int sequence;

    private Netlink(int protocol) {
        long fd = SOCKET.call(errno, AF_NETLINK, SOCK_RAW_CLOEXEC, protocol);
        descriptor = (int) Syscall.check("socket(AF_NETLINK)", fd);
        MemorySegment bound = arena.allocateFrom(JAVA_LONG, ANSWER_SECONDS_MAX, 0L);
        Syscall.check(
                "setsockopt(SO_RCVTIMEO)",
                SETSOCKOPT.call(errno, descriptor, SOL_SOCKET, SO_RCVTIMEO, bound.address(), 16));
    }

    static Netlink open(int protocol) {
        return new Netlink(protocol);
    }

    /// Sends a request that asks for an acknowledgement, and waits for it.
    ///
    /// @param what what is asked, for the message
    void request(String what, NetlinkMessage message) {
        send(what, message);
        boolean complete = false;
        while (!complete) { // each read is bounded in time
            complete = acknowledged(what, receive(what));
        }
    }

    private void send(String what, NetlinkMessage message) {
        try (Arena scratch = Arena.ofConfined()) {
            ByteBuffer bytes = message.finished(++sequence);
            MemorySegment copy = scratch.allocate(bytes.remaining(), 4);
            copy.copyFrom(MemorySegment.ofBuffer(bytes));
            Syscall.check(what, SEND.call(errno, descriptor, copy.address(), copy.byteSize(), 0));
        }
    }

    private ByteBuffer receive(String what) {
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
            if (datagram.getInt(at + 8) == sequence && type == TYPE_ERROR) {
                Syscall.check(what, datagram.getInt(at + HEADER));
                return true;
            }
            at += Math.max(HEADER, (length + 3) & ~3);
        }
        return false;
    }

    @Override
    public void close() {
        long result = CLOSE.call(errno, descriptor);
        assert result == 0;
        arena.close();
    }
}
