package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;

/// The socket calls, for one thread. Each returns the call's value, or minus the errno. None
/// allocates memory.
public final class Sockets {
    public static final int SOL_SOCKET = 1;
    public static final int SO_REUSEADDR = 2;
    public static final int IPPROTO_TCP = 6;
    public static final int TCP_NODELAY = 1;
    public static final int SO_KEEPALIVE = 9;
    public static final int TCP_KEEPIDLE = 4;
    public static final int TCP_KEEPINTVL = 5;
    public static final int TCP_KEEPCNT = 6;

    public static final int ADDRESS_BYTES = 112;

    static final int AF_UNIX = 1;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int SOCK_STREAM = 1;
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SO_ERROR = 4;
    static final int SO_PEERCRED = 17;
    static final int IPPROTO_IP = 0;
    static final int IP_BIND_ADDRESS_NO_PORT = 24;
    static final int MSG_NOSIGNAL = 0x4000;
    static final int MSG_WAITALL = 0x100;
    static final int MSG_MORE = 0x8000;
    static final int SHUT_RDWR = 2;
    static final int F_SETFL = 4;

    private static final NativeFunction SOCKET = NativeFunction.ofInt("socket");
    private static final NativeFunction BIND = NativeFunction.ofInt("bind");
    private static final NativeFunction CONNECT = NativeFunction.ofInt("connect");
    private static final NativeFunction SEND = NativeFunction.ofLong("send");
    private static final NativeFunction RECV = NativeFunction.ofLong("recv");
    private static final NativeFunction SHUTDOWN = NativeFunction.ofInt("shutdown");
    private static final NativeFunction CLOSE = NativeFunction.ofInt("close");
    private static final NativeFunction SETSOCKOPT = NativeFunction.ofInt("setsockopt");
    private static final NativeFunction GETSOCKOPT = NativeFunction.ofInt("getsockopt");
    private static final NativeFunction FCNTL = NativeFunction.ofInt("fcntl");

    private final MemorySegment errno = Syscall.errnoSegment();
    private final MemorySegment scratch = Arena.ofAuto().allocate(16, 8);
    private final long scratchAddress = scratch.address();

    /// Opens a non-blocking TCP socket that is closed on exec.
    public int open(boolean ipv6) {
        return open(ipv6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC);
    }

    /// Opens a blocking TCP socket. A ring waits only for a blocking socket.
    public int openForRing(boolean ipv6) {
        return open(ipv6, SOCK_STREAM | SOCK_CLOEXEC);
    }

    private int open(boolean ipv6, int type) {
        return (int) SOCKET.call(errno, ipv6 ? AF_INET6 : AF_INET, type, 0);
    }

    public int openUnix() {
        int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
        return (int) SOCKET.call(errno, AF_UNIX, type, 0);
    }

    public int bind(int fd, long address, int length) {
        return (int) BIND.call(errno, fd, address, length);
    }

    public int connect(int fd, long address, int length) {
        return (int) CONNECT.call(errno, fd, address, length);
    }

    /// Sends as many bytes as fit.
    ///
    /// @param more whether another send follows at once, so that a packet with room may wait
    public int send(int fd, long address, int length, boolean more) {
        int flags = more ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL;
        return (int) SEND.call(errno, fd, address, length, flags);
    }

    /// Receives the available bytes; returns zero at the end of the stream.
    public int receive(int fd, long address, int length) {
        return (int) RECV.call(errno, fd, address, length, 0);
    }

    /// Shuts down both directions, which also ends a ring's requests on the socket.
    public int shutdown(int fd) {
        return (int) SHUTDOWN.call(errno, fd, SHUT_RDWR);
    }

    public int close(int fd) {
        return (int) CLOSE.call(errno, fd);
    }

    public int setOption(int fd, int level, int name, int value) {
        Memory.putInt(scratchAddress, value);
        return (int) SETSOCKOPT.call(errno, fd, level, name, scratchAddress, 4);
    }

    /// Makes bind leave the port open, so that connect can choose from all ports that are free for
    /// its destination.
    public int bindAddressNoPort(int fd) {
        return setOption(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
    }

    /// Takes a socket's pending error: its errno, or zero.
    public int pendingError(int fd) {
        Memory.putInt(scratchAddress, 0);
        int result = option(fd, SO_ERROR, Integer.BYTES);
        return result < 0 ? -result : Memory.getInt(scratchAddress);
    }

    /// The process id at the other end of a connected unix socket; 0 if the process is hidden.
    int peerProcess(int fd) {
        int result = option(fd, SO_PEERCRED, Layouts.UCRED_SIZE);
        return result < 0 ? result : Memory.getInt(scratchAddress + Layouts.UCRED_PID);
    }

    /// Reads an option of up to 12 bytes to the start of the scratch memory.
    private int option(int fd, int name, int bytes) {
        long length = scratchAddress + 12;
        Memory.putInt(length, bytes);
        return (int) GETSOCKOPT.call(errno, fd, SOL_SOCKET, name, scratchAddress, length);
    }

    /// Makes a socket blocking for a ring, see [#openForRing].
    public int makeBlocking(int fd) {
        return (int) FCNTL.call(errno, fd, F_SETFL, 0);
    }

    /// Writes a socket address to native memory and returns its length.
    public static int writeAddress(long to, InetAddress address, int port) {
        boolean ipv6 = address instanceof Inet6Address;
        int length = ipv6 ? Layouts.SOCKADDR_IN6_SIZE : Layouts.SOCKADDR_IN_SIZE;
        for (int i = 0; i < length; i++) {
            Memory.putByte(to + i, (byte) 0);
        }
        Memory.putShort(to + Layouts.SOCKADDR_FAMILY, (short) (ipv6 ? AF_INET6 : AF_INET));
        writePort(to, port);
        int offset = ipv6 ? Layouts.SOCKADDR_IN6_ADDR : Layouts.SOCKADDR_IN_ADDR;
        Memory.putBytes(to + offset, address.getAddress());
        if (address instanceof Inet6Address scoped) {
            Memory.putInt(to + Layouts.SOCKADDR_IN6_SCOPE, scoped.getScopeId());
        }
        return length;
    }

    /// Changes the port of a socket address, in network byte order.
    public static void writePort(long to, int port) {
        Memory.putByte(to + Layouts.SOCKADDR_PORT, (byte) (port >> 8));
        Memory.putByte(to + Layouts.SOCKADDR_PORT + 1, (byte) port);
    }
}
