package wallfinder.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// A netlink socket in the network namespace of the thread that opens it, which stays its
/// namespace. Used by one thread at a time.
final class Netlink implements AutoCloseable {
    static final int ROUTE = 0;
    static final int REQUEST = 0x1;
    static final int ACK = 0x4;
    static final int DUMP = 0x300;
    static final int CREATE_NEW = 0x600; // NLM_F_CREATE | NLM_F_EXCL

    private static final int HEADER = 16;
    private static final int TYPE_ERROR = 2;
    private static final int TYPE_DONE = 3;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final long ANSWER_SECONDS_MAX = 10;
    private static final int RECEIVE_BYTES = 64 * 1024;

    private static final MethodHandle SOCKET =
            Syscall.bind("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle SETSOCKOPT =
            Syscall.bind("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SEND =
            Syscall.bind("send", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle RECV =
            Syscall.bind("recv", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle CLOSE = Syscall.bind("close", JAVA_INT, JAVA_INT);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment errno = Syscall.errnoSegment();
    private final MemorySegment received = arena.allocate(RECEIVE_BYTES);
    private final int descriptor;
    private int sequence;

    private Netlink(int protocol) {
        try {
            int fd = (int) SOCKET.invokeExact(errno, AF_NETLINK, SOCK_RAW_CLOEXEC, protocol);
            descriptor = (int) Syscall.check("socket(AF_NETLINK)", Syscall.result(fd, errno));
            MemorySegment bound = arena.allocateFrom(JAVA_LONG, ANSWER_SECONDS_MAX, 0L);
            int set =
                    (int)
                            SETSOCKOPT.invokeExact(
                                    errno, descriptor, SOL_SOCKET, SO_RCVTIMEO, bound, 16);
            Syscall.check("setsockopt(SO_RCVTIMEO)", Syscall.result(set, errno));
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    static Netlink open(int protocol) {
        return new Netlink(protocol);
    }

    /// Sends a request that asks for an acknowledgement, and waits for it.
    ///
    /// @param what what is asked, for the message
    void request(String what, NetlinkMessage message) {
        send(what, message);
        exchange(what);
    }

    /// Sends a request for a list.
    ///
    /// @return the messages of the answer, each without its header
    List<ByteBuffer> dump(String what, NetlinkMessage message) {
        send(what, message);
        return exchange(what);
    }

    private void send(String what, NetlinkMessage message) {
        try (Arena scratch = Arena.ofConfined()) {
            ByteBuffer bytes = message.finished(++sequence);
            MemorySegment copy = scratch.allocate(bytes.remaining(), 4);
            copy.copyFrom(MemorySegment.ofBuffer(bytes));
            long sent = (long) SEND.invokeExact(errno, descriptor, copy, copy.byteSize(), 0);
            Syscall.check(what, Syscall.result(sent, errno));
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// Reads until the answer is complete; each read is bounded in time.
    private List<ByteBuffer> exchange(String what) {
        List<ByteBuffer> answer = new ArrayList<>();
        boolean complete = false;
        while (!complete) {
            complete = take(what, receive(what), answer);
        }
        return answer;
    }

    private ByteBuffer receive(String what) {
        try {
            long length =
                    (long) RECV.invokeExact(errno, descriptor, received, (long) RECEIVE_BYTES, 0);
            Syscall.check(what, Syscall.result(length, errno));
            ByteBuffer copy = ByteBuffer.allocate((int) length).order(ByteOrder.nativeOrder());
            MemorySegment.ofBuffer(copy).copyFrom(received.asSlice(0, length));
            return copy;
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    private boolean take(String what, ByteBuffer datagram, List<ByteBuffer> answer) {
        int at = 0;
        while (at + HEADER <= datagram.limit()) {
            int length = datagram.getInt(at);
            int type = datagram.getShort(at + 4);
            boolean ours = datagram.getInt(at + 8) == sequence;
            if (ours && type == TYPE_ERROR) {
                Syscall.check(what, datagram.getInt(at + HEADER));
                return true;
            }
            if (ours && type == TYPE_DONE) {
                return true;
            }
            if (ours) {
                answer.add(
                        datagram.slice(at + HEADER, length - HEADER)
                                .order(ByteOrder.nativeOrder()));
            }
            at += Math.max(HEADER, (length + 3) & ~3);
        }
        return false;
    }

    @Override
    public void close() {
        try {
            int result = (int) CLOSE.invokeExact(errno, descriptor);
            assert result == 0;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
        arena.close();
    }
}
