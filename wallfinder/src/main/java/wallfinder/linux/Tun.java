package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A network link whose other end is this process: what the kernel sends over it is read here, and
/// what is written here the kernel receives (`Documentation/networking/tuntap.rst`). IPv4 and IPv6
/// packets, one a call, with checksums both ways: no offload is asked for.
///
/// It lies in the network namespace of the thread that makes it and goes with its descriptor. For
/// one thread, and nothing here allocates after construction.
public final class Tun implements AutoCloseable {
    static final long SET_INTERFACE = 0x400454CAL;
    static final int TUN = 0x0001;
    static final int NO_PACKET_INFORMATION = 0x1000;

    private static final int NAME_BYTES_MAX = 15;
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final String DEVICE = "/dev/net/tun";

    private static final NativeFunction OPEN = NativeFunction.ofInt("open");
    private static final NativeFunction IOCTL = NativeFunction.ofInt("ioctl");
    private static final NativeFunction READ = NativeFunction.ofLong("read");
    private static final NativeFunction WRITE = NativeFunction.ofLong("write");

    private final MemorySegment errno = Syscall.errnoSegment();
    private final int fd;
    private boolean closed;

    private Tun(int fd) {
        this.fd = fd;
    }

    /// Makes a link, which is down and has no address: see [Route].
    ///
    /// @throws EnvironmentException if the host has no such device, or does not let us
    public static Tun create(String name) {
        if (name.isEmpty() || name.length() > NAME_BYTES_MAX) {
            throw new IllegalArgumentException("not the name of a link: " + name);
        }
        MemorySegment errno = Syscall.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            int flags = O_RDWR | O_NONBLOCK | O_CLOEXEC;
            long fd = OPEN.call(errno, arena.allocateFrom(DEVICE).address(), flags);
            Syscall.check("open " + DEVICE, fd);
            Tun tun = new Tun((int) fd);
            MemorySegment request = arena.allocate(Layouts.IFREQ_SIZE, 8);
            request.setString(0, name);
            Memory.putShort(
                    request.address() + Layouts.IFREQ_FLAGS, (short) (TUN | NO_PACKET_INFORMATION));
            long result = IOCTL.call(errno, fd, SET_INTERFACE, request.address());
            if (result < 0) {
                tun.close();
            }
            Syscall.check("create the link " + name + " (TUNSETIFF)", result);
            return tun;
        } catch (SyscallException e) {
            throw new EnvironmentException(
                    "no link to a program (TUN) can be made",
                    String.valueOf(e.getMessage()),
                    "run as root, with the kernel's module tun and the device " + DEVICE);
        }
    }

    public int descriptor() {
        return fd;
    }

    /// Reads one packet that the kernel has sent.
    ///
    /// @return its length, or minus the errno: EAGAIN if there is none
    public int read(long address, int length) {
        return (int) READ.call(errno, fd, address, length);
    }

    /// Gives the kernel one packet, which it has dealt with when this returns, as far as it can.
    ///
    /// @return its length, or minus the errno
    public int write(long address, int length) {
        return (int) WRITE.call(errno, fd, address, length);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            new Sockets().close(fd);
        }
    }
}
