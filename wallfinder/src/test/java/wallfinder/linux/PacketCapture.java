package wallfinder.linux;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Captures all packets of a network namespace with a packet socket (`packet(7)`). For one thread.
public final class PacketCapture implements AutoCloseable {
    private static final int AF_PACKET = 17;
    private static final int SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0x800 | 0x80000;
    private static final int ALL_IN_NETWORK_ORDER = 0x0300;
    private static final int SO_RCVBUFFORCE = 33;
    private static final int SOL_PACKET = 263;
    private static final int PACKET_STATISTICS = 6;
    private static final int BUFFER_BYTES = 256 << 20;
    private static final int PACKET_BYTES_MAX = 65_536;

    private static final NativeFunction SOCKET = NativeFunction.ofInt("socket");
    private static final NativeFunction GETSOCKOPT = NativeFunction.ofInt("getsockopt");

    private final MemorySegment errno = Syscall.errnoSegment();
    private final Sockets sockets = new Sockets();
    private final long memory = Memory.map(PACKET_BYTES_MAX);
    private final int fd;

    private PacketCapture() {
        long made =
                SOCKET.call(errno, AF_PACKET, SOCK_DGRAM_NONBLOCK_CLOEXEC, ALL_IN_NETWORK_ORDER);
        fd = (int) Syscall.check("socket(AF_PACKET)", made);
        Syscall.check(
                "setsockopt(SO_RCVBUFFORCE)",
                sockets.setOption(fd, Sockets.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES));
    }

    /// Starts to capture in the namespace of the calling thread.
    public static PacketCapture open() {
        return new PacketCapture();
    }

    /// The packets since the last call, each once and in order, from the network layer on.
    public List<byte[]> packets() {
        List<byte[]> packets = new ArrayList<>();
        int length = sockets.receive(fd, memory, PACKET_BYTES_MAX);
        while (length >= 0) {
            packets.add(Memory.getBytes(memory, length));
            length = sockets.receive(fd, memory, PACKET_BYTES_MAX);
        }
        return packets;
    }

    /// The number of packets that the kernel dropped for lack of room since the last call.
    public int missed() {
        Memory.putInt(memory + 16, 8);
        long result =
                GETSOCKOPT.call(errno, fd, SOL_PACKET, PACKET_STATISTICS, memory, memory + 16);
        Syscall.check("getsockopt(PACKET_STATISTICS)", result);
        return Memory.getInt(memory + 4);
    }

    @Override
    public void close() {
        sockets.close(fd);
        Memory.unmap(memory, PACKET_BYTES_MAX);
    }
}
