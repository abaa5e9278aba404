package wallfinder.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// Gives [SockDiag] the kernel's answers, damaged. It may find nothing in them, or refuse them.
///
/// Instead of netlink it has one end of a pair of sockets. The answers to its next requests lie in
/// it already.
public final class SockDiagFuzz implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int HEADER = (int) SockDiagLayouts.NLMSGHDR.byteSize();
    private static final int SEQUENCE_AT =
            (int) SockDiagLayouts.offset(SockDiagLayouts.NLMSGHDR, "nlmsg_seq");
    private static final int BYTES_MAX = 64 << 10;
    private static final int CONNECTIONS = 5;

    /// One question leads to two dumps, and the reader repeats a dump twice.
    private static final int ANSWERS = 6;

    private static final NativeFunction SOCKETPAIR = NativeFunction.ofInt("socketpair");
    private static final NativeFunction SEND = NativeFunction.ofLong("send");
    private static final NativeFunction RECV = NativeFunction.ofLong("recv");

    private interface Question {
        void ask(SockDiag diag);
    }

    private static final class All implements SockDiag.Connections {
        private final List<TcpConnection> seen = new ArrayList<>();

        @Override
        public void clear() {
            seen.clear();
        }

        @Override
        public void add(TcpConnection connection) {
            seen.add(connection);
        }
    }

    private final MemorySegment scratch = Arena.ofAuto().allocate(BYTES_MAX, 8);
    private final int readers;
    private final int kernels;
    private final SockDiag diag;
    private final List<Question> questions = new ArrayList<>();

    /// The kernel's answer to each question: its datagrams.
    private final List<List<byte[]>> answers = new ArrayList<>();

    private int sequence;

    public SockDiagFuzz() throws IOException {
        int type = SOCK_SEQPACKET | SOCK_NONBLOCK | SockDiagLayouts.SOCK_CLOEXEC;
        MemorySegment errno = Syscall.errnoSegment();
        long made = SOCKETPAIR.call(errno, AF_UNIX, type, 0, scratch.address());
        Syscall.check("socketpair", made);
        readers = scratch.get(JAVA_INT, 0);
        kernels = scratch.get(JAVA_INT, 4);
        diag = new SockDiag(readers);
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            InetSocketAddress place = (InetSocketAddress) server.getLocalSocketAddress();
            int port = place.getPort();
            questions.add(SockDiag::listeners);
            questions.add(SockDiag::countByState);
            questions.add(d -> d.portsInUse(port, 0xffff, new PortsInUse()));
            questions.add(d -> d.established(PortOf.THIS_END, 0, 0xffff));
            questions.add(d -> d.has(place, place));
            questions.add(d -> d.connections(new int[] {port}, new All()));
            questions.add(SockDiag::unixConnections);
            List<Socket> open = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                Socket client = new Socket(place.getAddress(), port);
                client.getOutputStream().write(i);
                open.add(client);
                open.add(server.accept());
            }
            for (Question question : questions) {
                answers.add(answered(question));
            }
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /// Asks one of the questions, and answers it with damaged answers to this or another one.
    public void read(SplittableRandom random) {
        int asked = random.nextInt(questions.size());
        int answered = random.nextInt(4) == 0 ? random.nextInt(answers.size()) : asked;
        boolean framing = random.nextInt(4) == 0;
        boolean fits = true;
        for (int i = 1; i <= ANSWERS && fits; i++) {
            for (byte[] datagram : answers.get(answered)) {
                fits = fits && send(kernels, damaged(datagram, sequence + i, framing, random));
            }
        }
        try {
            questions.get(asked).ask(diag);
        } catch (EnvironmentException _) {
            // It has refused the answer, or has found no end in it.
        }
        noteRequests();
        while (receive(readers).length > 0) {} // what it has left
    }

    @Override
    public void close() {
        diag.close();
        Syscall.closeQuietly(kernels);
    }

    /// Lets the kernel answer the request that a question ends with.
    private List<byte[]> answered(Question question) {
        List<byte[]> found = new ArrayList<>();
        try {
            question.ask(diag);
        } catch (EnvironmentException _) {
            // Nobody has answered.
        }
        byte[] request = noteRequests();
        int netlink = Netlink.socket(SockDiagLayouts.NETLINK_SOCK_DIAG);
        try {
            send(netlink, request);
            boolean done = false;
            while (!done) {
                byte[] datagram = receive(netlink);
                found.add(datagram);
                done = hasEnd(datagram);
            }
        } finally {
            Syscall.closeQuietly(netlink);
        }
        return found;
    }

    private static boolean hasEnd(byte[] datagram) {
        MemorySegment bytes = MemorySegment.ofArray(datagram);
        for (int at = 0; at < datagram.length; at = next(bytes, at)) {
            if (bytes.get(JAVA_SHORT_UNALIGNED, at + 4) == SockDiagLayouts.NLMSG_DONE) {
                return true;
            }
        }
        return false;
    }

    private static int next(MemorySegment bytes, int at) {
        return at + Math.max(HEADER, (bytes.get(JAVA_INT_UNALIGNED, at) + 3) & ~3);
    }

    /// @return the last one
    private byte[] noteRequests() {
        byte[] last = {};
        for (byte[] one = receive(kernels); one.length > 0; one = receive(kernels)) {
            last = one;
            sequence = MemorySegment.ofArray(one).get(JAVA_INT_UNALIGNED, SEQUENCE_AT);
        }
        return last;
    }

    /// A copy with this sequence number in all messages.
    ///
    /// @param framing what is damaged: the lengths and headers of messages, or what is in them
    private static byte[] damaged(
            byte[] datagram, int sequence, boolean framing, SplittableRandom random) {
        byte[] copy = datagram.clone();
        MemorySegment bytes = MemorySegment.ofArray(copy);
        List<Integer> messages = new ArrayList<>();
        for (int at = 0; at + HEADER <= copy.length; at = next(bytes, at)) {
            messages.add(at);
            bytes.set(JAVA_INT_UNALIGNED, at + SEQUENCE_AT, sequence);
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            int message = messages.get(random.nextInt(messages.size()));
            if (framing) {
                damageHeader(bytes, message, random);
            } else {
                damageBody(bytes, message + HEADER, next(bytes, message), random);
            }
        }
        return framing && random.nextInt(5) == 0
                ? Arrays.copyOf(copy, random.nextInt(1, copy.length))
                : copy;
    }

    private static void damageHeader(MemorySegment bytes, int message, SplittableRandom random) {
        if (random.nextBoolean()) {
            bytes.set(JAVA_INT_UNALIGNED, message, length(random));
        } else {
            bytes.set(JAVA_BYTE, message + random.nextInt(HEADER), (byte) random.nextInt());
        }
    }

    private static void damageBody(MemorySegment bytes, int from, int to, SplittableRandom random) {
        int at = random.nextInt(from, to);
        int attribute = at & ~3; // the length and type of one, with some luck
        if (random.nextBoolean()) {
            bytes.set(JAVA_INT_UNALIGNED, attribute, random.nextInt(0x20ffff));
        } else {
            bytes.set(JAVA_BYTE, at, (byte) random.nextInt());
        }
    }

    private static int length(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> random.nextInt();
            case 1 -> Integer.MAX_VALUE - random.nextInt(8);
            default -> random.nextInt(400);
        };
    }

    /// @return false if the queue is full: on a host with many sockets an answer is long, and the
    ///   kernel keeps ten datagrams (`net.unix.max_dgram_qlen`)
    private boolean send(int descriptor, byte[] bytes) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, scratch, 0, bytes.length);
        MemorySegment errno = Syscall.errnoSegment();
        long sent = SEND.call(errno, descriptor, scratch.address(), bytes.length, 0);
        if (sent == -Errno.EAGAIN.number()) {
            return false;
        }
        Syscall.check("send", sent);
        return true;
    }

    /// @return empty if there is none
    private byte[] receive(int descriptor) {
        MemorySegment errno = Syscall.errnoSegment();
        long got = RECV.call(errno, descriptor, scratch.address(), BYTES_MAX, 0);
        return got <= 0 ? new byte[0] : scratch.asSlice(0, got).toArray(JAVA_BYTE);
    }
}
