package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A network link whose other end is this process: [#read] returns the packets that the kernel
/// sends, and the kernel receives the packets of [#write] (`Documentation/networking/tuntap.rst`).
/// One IPv4 or IPv6 packet per call. Both directions need checksums, because no offload is enabled.
///
/// The link belongs to the network namespace of the thread that creates it and ends with its
/// descriptor. For one thread. Nothing here allocates after construction.
public final class Tun implements AutoCloseable {
    static final long SET_INTERFACE = 0x400454CAL;
    static final int TUN = 0x0001;
    static final int NO_PACKET_INFORMATION = 0x1000;

    private static final int NAME_BYTES_MAX = 15;
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final String DEVICE = "/dev/net/tun";

    private static final NativeFunction IOCTL = NativeFunction.ofInt("ioctl");
    private static final NativeFunction READ = NativeFunction.ofLong("read");
    private static final NativeFunction WRITE = NativeFunction.ofLong("write");

    private final MemorySegment errno = Syscall.errnoSegment();
    private final int fd;
    private boolean closed;

    private Tun(int fd) {
        this.fd = fd;
    }

    /// Creates a link. It is down and has no address: see [Route].
    ///
    /// @throws EnvironmentException if the host has no TUN device, or denies access
    public static Tun create(String name) {
        if (name.isEmpty() || name.length() > NAME_BYTES_MAX) {
            throw new IllegalArgumentException("not the name of a link: " + name);
        }
        try (Arena arena = Arena.ofConfined()) {
            int fd = Syscall.open(DEVICE, O_RDWR | O_NONBLOCK);
            MemorySegment request = arena.allocate(Layouts.IFREQ_SIZE, 8);
            request.setString(0, name);
            Memory.putShort(
                    request.address() + Layouts.IFREQ_FLAGS, (short) (TUN | NO_PACKET_INFORMATION));
            long result = IOCTL.call(Syscall.errnoSegment(), fd, SET_INTERFACE, request.address());
            if (result < 0) {
                Syscall.closeQuietly(fd);
            }
            Syscall.check("create the link " + name + " (TUNSETIFF)", result);
            return new Tun(fd);
        } catch (SyscallException e) {
            throw new EnvironmentException(
                    "cannot create a TUN link",
                    String.valueOf(e.getMessage()),
                    "run as root, with the kernel's module tun and the device " + DEVICE);
        }
    }

    public int descriptor() {
        return fd;
    }

    /// Reads one packet that the kernel has sent.
    ///
    /// @return its length, or minus the errno: EAGAIN if there is no packet
    public int read(long address, int length) {
        return (int) READ.call(errno, fd, address, length);
    }

    /// Passes one packet to the kernel, which processes it before the call returns.
    ///
    /// @return its length, or minus the errno
    public int write(long address, int length) {
        return (int) WRITE.call(errno, fd, address, length);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Syscall.closeQuietly(fd);
        }
    }
}
