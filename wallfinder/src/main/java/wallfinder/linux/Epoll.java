package wallfinder.linux;

import java.lang.foreign.MemorySegment;

/// One epoll instance with its events, for one thread. Nothing here allocates after construction.
public final class Epoll implements AutoCloseable {
    public static final int IN = 1;
    public static final int OUT = 4;
    public static final int ERR = 8;
    public static final int HUP = 0x10;
    public static final int RDHUP = 0x2000;
    public static final int EDGE = 1 << 31;

    static final int CTL_ADD = 1;
    static final int CLOEXEC = 0x80000;
    static final int NR_PWAIT2 = 441;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private static final NativeFunction CREATE = NativeFunction.ofInt("epoll_create1");
    private static final NativeFunction CTL = NativeFunction.ofInt("epoll_ctl");
    private static final NativeFunction WAIT = NativeFunction.ofInt("epoll_wait");
    private static final NativeFunction SYSCALL = NativeFunction.raw();
    private static final NativeFunction CLOSE = NativeFunction.ofInt("close");

    private final MemorySegment errno = Syscall.errnoSegment();
    private final int fd;
    private final int eventsMax;
    private final long bytes;
    private final long events;
    private final long timespec;
    private boolean precise = true;
    private boolean closed;

    /// @param eventsMax the most events told by one [#await]
    public Epoll(int eventsMax) {
        this.eventsMax = eventsMax;
        // Rounded up, so that the time behind the events is aligned.
        long eventBytes = ((eventsMax + 1L) * Layouts.EPOLL_EVENT_SIZE + 7) & ~7L;
        this.bytes = eventBytes + Layouts.TIMESPEC_SIZE;
        this.fd = create(errno);
        this.events = Memory.map(bytes);
        this.timespec = events + eventBytes;
    }

    private static int create(MemorySegment errno) {
        return (int) Syscall.check("epoll_create1", CREATE.call(errno, CLOEXEC));
    }

    /// Watches a descriptor until it is closed.
    ///
    /// @return zero, or minus the errno
    public int add(int watched, int interests, long data) {
        long event = events + (long) eventsMax * Layouts.EPOLL_EVENT_SIZE;
        Memory.putInt(event + Layouts.EPOLL_EVENT_EVENTS, interests);
        Memory.putLong(event + Layouts.EPOLL_EVENT_DATA, data);
        return (int) CTL.call(errno, fd, CTL_ADD, watched, event);
    }

    /// Waits for events, for zero or more nanoseconds.
    ///
    /// @return how many there are; a signal gives none
    public int await(long nanos) {
        if (precise) {
            int told = awaitPrecisely(nanos);
            if (told != -Errno.ENOSYS.number() && told != -Errno.EPERM.number()) {
                return counted("epoll_pwait2", told);
            }
            precise = false;
        }
        return counted("epoll_wait", awaitMillis((int) (nanos / NANOS_PER_MILLI)));
    }

    private static int counted(String call, int told) {
        return told == -Errno.EINTR.number() ? 0 : (int) Syscall.check(call, told);
    }

    /// Linux 5.11; older kernels do not have it, and filters of containers may forbid it.
    private int awaitPrecisely(long nanos) {
        Memory.putLong(timespec, nanos / NANOS_PER_SECOND);
        Memory.putLong(timespec + Layouts.TIMESPEC_NSEC, nanos % NANOS_PER_SECOND);
        return (int) SYSCALL.call(errno, NR_PWAIT2, fd, events, eventsMax, timespec, 0, 0);
    }

    /// Rounded down: the last part of a millisecond is spent asking again.
    private int awaitMillis(int millis) {
        return (int) WAIT.call(errno, fd, events, eventsMax, millis);
    }

    /// What happened, of the event with this index.
    public int eventMask(int index) {
        return Memory.getInt(
                events + (long) index * Layouts.EPOLL_EVENT_SIZE + Layouts.EPOLL_EVENT_EVENTS);
    }

    /// What [#add] was given, of the event with this index.
    public long data(int index) {
        return Memory.getLong(
                events + (long) index * Layouts.EPOLL_EVENT_SIZE + Layouts.EPOLL_EVENT_DATA);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Memory.unmap(events, bytes);
        Syscall.check("close", CLOSE.call(errno, fd));
    }
}
