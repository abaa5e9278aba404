package wallfinder.services.echo;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.Inet6Address;
import java.net.InetAddress;

/// The system calls of one thread, and the memory that they read and write. Each method returns the
/// call's value or minus the errno, and allocates nothing.
///
/// All functions are called with six 64-bit arguments and a 64-bit result. In the calling
/// conventions of 64-bit Linux a function ignores arguments that it does not declare.
final class Linux {
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EMFILE = 24;
    static final int ECONNABORTED = 103;

    static final int IN = 1;
    static final int OUT = 4;

    /// EPOLLEXCLUSIVE: the kernel does not wake all threads that wait for a listener.
    static final int EXCLUSIVE = 1 << 28;

    private static final int CTL_ADD = 1;
    private static final int CTL_DEL = 2;
    private static final int CTL_MOD = 3;
    private static final int CLONE_FILES = 0x400;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOCK_STREAM = 1;
    private static final int NONBLOCK_CLOEXEC = 0x800 | 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_REUSEADDR = 2;
    private static final int SO_REUSEPORT = 15;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_NODELAY = 1;
    private static final int MSG_NOSIGNAL = 0x4000;

    private static final int EVENTS_MAX = 512;

    /// The kernel's header packs `struct epoll_event` only on x86-64.
    private static final int EVENT_BYTES = System.getProperty("os.arch").equals("amd64") ? 12 : 16;

    private static final int EVENT_DATA = EVENT_BYTES - Long.BYTES;
    private static final int SCRATCH_BYTES = 64;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle CALL = handle();
    private static final MemorySegment ALL = everything();

    private static final MemorySegment SOCKET = function("socket");
    private static final MemorySegment SETSOCKOPT = function("setsockopt");
    private static final MemorySegment BIND = function("bind");
    private static final MemorySegment LISTEN = function("listen");
    private static final MemorySegment GETSOCKNAME = function("getsockname");
    private static final MemorySegment ACCEPT = function("accept4");
    private static final MemorySegment RECV = function("recv");
    private static final MemorySegment SEND = function("send");
    private static final MemorySegment CLOSE = function("close");
    private static final MemorySegment READ = function("read");
    private static final MemorySegment WRITE = function("write");
    private static final MemorySegment EVENTFD = function("eventfd");
    private static final MemorySegment UNSHARE = function("unshare");
    private static final MemorySegment EPOLL_CREATE = function("epoll_create1");
    private static final MemorySegment EPOLL_CTL = function("epoll_ctl");
    private static final MemorySegment EPOLL_WAIT = function("epoll_wait");
    private static final MemorySegment NANOSLEEP = function("nanosleep");
    private static final MemorySegment STRERROR = function("strerror");

    private final MemorySegment errno = Arena.ofAuto().allocate(Linker.Option.captureStateLayout());
    private final MemorySegment memory =
            Arena.ofAuto().allocate((EVENTS_MAX + 1L) * EVENT_BYTES + SCRATCH_BYTES, 8);
    private final long events = memory.address() + SCRATCH_BYTES;

    @SuppressWarnings("restricted")
    private static MethodHandle handle() {
        return LINKER.downcallHandle(
                FunctionDescriptor.of(
                        JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG),
                Linker.Option.captureCallState("errno"));
    }

    private static MemorySegment function(String name) {
        return LINKER.defaultLookup().findOrThrow(name);
    }

    /// All memory as one constant segment, so that an access compiles to one instruction.
    @SuppressWarnings("restricted")
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /// A socket that is not bound yet. The first two options take effect at bind; accepted
    /// connections inherit the third.
    int listener(boolean ipv6) {
        int fd = (int) call(SOCKET, ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | NONBLOCK_CLOEXEC, 0);
        option(fd, SOL_SOCKET, SO_REUSEADDR);
        option(fd, SOL_SOCKET, SO_REUSEPORT);
        option(fd, IPPROTO_TCP, TCP_NODELAY);
        return fd;
    }

    private void option(int fd, int level, int name) {
        ALL.set(JAVA_INT_UNALIGNED, memory.address(), 1);
        call(SETSOCKOPT, fd, level, name, memory.address(), Integer.BYTES);
    }

    /// `struct sockaddr_in` or `sockaddr_in6`: the family, the port in network order, the address.
    int bind(int fd, InetAddress address, int port) {
        boolean ipv6 = address instanceof Inet6Address;
        long at = memory.address();
        memory.asSlice(0, SCRATCH_BYTES).fill((byte) 0);
        ALL.set(JAVA_BYTE, at, (byte) (ipv6 ? AF_INET6 : AF_INET));
        ALL.set(JAVA_BYTE, at + 2, (byte) (port >> 8));
        ALL.set(JAVA_BYTE, at + 3, (byte) port);
        byte[] bytes = address.getAddress();
        put(at + (ipv6 ? 8 : 4), bytes);
        if (address instanceof Inet6Address scoped) {
            ALL.set(JAVA_INT_UNALIGNED, at + 24, scoped.getScopeId());
        }
        return (int) call(BIND, fd, at, ipv6 ? 28 : 16);
    }

    int listen(int fd, int backlog) {
        return (int) call(LISTEN, fd, backlog);
    }

    int localPort(int fd) {
        long length = memory.address() + SCRATCH_BYTES - Integer.BYTES;
        ALL.set(JAVA_INT_UNALIGNED, length, SCRATCH_BYTES - Integer.BYTES);
        int result = (int) call(GETSOCKNAME, fd, memory.address(), length);
        long port = memory.address() + 2;
        return result < 0
                ? result
                : (ALL.get(JAVA_BYTE, port) & 0xff) << 8 | ALL.get(JAVA_BYTE, port + 1) & 0xff;
    }

    int accept(int listener) {
        return (int) call(ACCEPT, listener, 0, 0, NONBLOCK_CLOEXEC);
    }

    int receive(int fd, long to, int bytes) {
        return (int) call(RECV, fd, to, bytes, 0);
    }

    int send(int fd, long from, int bytes) {
        return (int) call(SEND, fd, from, bytes, MSG_NOSIGNAL);
    }

    int close(int fd) {
        return (int) call(CLOSE, fd);
    }

    /// A descriptor with which another thread ends this thread's [#await].
    int bell() {
        return (int) call(EVENTFD, 0, NONBLOCK_CLOEXEC);
    }

    int ring(int bell) {
        ALL.set(JAVA_LONG_UNALIGNED, memory.address(), 1);
        return (int) call(WRITE, bell, memory.address(), Long.BYTES);
    }

    int silence(int bell) {
        return (int) call(READ, bell, memory.address(), Long.BYTES);
    }

    /// Gives the calling thread its own descriptor table, a copy of the current one. The limit on
    /// descriptors applies to each table.
    int ownDescriptors() {
        return (int) call(UNSHARE, CLONE_FILES);
    }

    int poll() {
        return (int) call(EPOLL_CREATE, 0x80000);
    }

    /// @param data the value that [#data] returns for an event of this descriptor
    int watch(int poll, int fd, int interests, long data) {
        return control(CTL_ADD, poll, fd, interests, data);
    }

    int watchOtherwise(int poll, int fd, int interests, long data) {
        return control(CTL_MOD, poll, fd, interests, data);
    }

    int leave(int poll, int fd) {
        return control(CTL_DEL, poll, fd, 0, 0);
    }

    private int control(int operation, int poll, int fd, int interests, long data) {
        long event = events + (long) EVENTS_MAX * EVENT_BYTES;
        ALL.set(JAVA_INT_UNALIGNED, event, interests);
        ALL.set(JAVA_LONG_UNALIGNED, event + EVENT_DATA, data);
        return (int) call(EPOLL_CTL, poll, operation, fd, event);
    }

    /// @param millis the longest wait; -1 for no bound
    /// @return how many events there are
    int await(int poll, int millis) {
        return (int) call(EPOLL_WAIT, poll, events, EVENTS_MAX, millis);
    }

    /// Sleeps for less than a second; a signal ends the sleep.
    int rest(int micros) {
        ALL.set(JAVA_LONG, memory.address(), 0);
        ALL.set(JAVA_LONG, memory.address() + Long.BYTES, micros * 1_000L);
        return (int) call(NANOSLEEP, memory.address(), 0);
    }

    /// The data of the event with this index.
    long data(int index) {
        return ALL.get(JAVA_LONG_UNALIGNED, events + (long) index * EVENT_BYTES + EVENT_DATA);
    }

    /// The C library's text for an errno.
    String reason(int number) {
        long text = call(STRERROR, number);
        return ALL.asSlice(text, 256).getString(0);
    }

    static void put(long to, byte... bytes) {
        MemorySegment.copy(bytes, 0, ALL, JAVA_BYTE, to, bytes.length);
    }

    static byte[] bytes(long from, int count) {
        return ALL.asSlice(from, count).toArray(JAVA_BYTE);
    }

    private long call(MemorySegment function, long a) {
        return call(function, a, 0, 0, 0, 0);
    }

    private long call(MemorySegment function, long a, long b) {
        return call(function, a, b, 0, 0, 0);
    }

    private long call(MemorySegment function, long a, long b, long c) {
        return call(function, a, b, c, 0, 0);
    }

    private long call(MemorySegment function, long a, long b, long c, long d) {
        return call(function, a, b, c, d, 0);
    }

    /// If a function returns an `int`, only the lower half of the result counts. STRERROR returns
    /// an address and never fails.
    private long call(MemorySegment function, long a, long b, long c, long d, long e) {
        long value = invoke(function, errno, a, b, c, d, e);
        if (function == STRERROR) {
            return value;
        }
        return (int) value >= 0 ? (int) value : -ALL.get(JAVA_INT_UNALIGNED, errno.address());
    }

    /// A separate method, so that the JVM compiles it separately: see jvm.options.
    private static long invoke(
            MemorySegment function, MemorySegment errno, long a, long b, long c, long d, long e) {
        try {
            return (long) CALL.invokeExact(function, errno, a, b, c, d, e, 0L);
        } catch (Throwable thrown) {
            throw new AssertionError("a call does not match its function", thrown);
        }
    }
}
