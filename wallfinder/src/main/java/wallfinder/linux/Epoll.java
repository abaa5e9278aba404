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

    private final MemorySegment errno = Syscall.errnoSegment();
    private final int fd;
    private final int eventsMax;
    private final long bytes;
    private final long events;
    private final long timespec;
    private boolean precise = true;
    private boolean closed;

    /// @param eventsMax the most events that one [#await] reports
    public Epoll(int eventsMax) {
        this.eventsMax = eventsMax;
        // The timespec behind the events needs an aligned address.
        long eventBytes = ((eventsMax + 1L) * Layouts.EPOLL_EVENT_SIZE + 7) & ~7L;
        this.bytes = eventBytes + Layouts.TIMESPEC_SIZE;
        this.fd = (int) Syscall.check("epoll_create1", CREATE.call(errno, CLOEXEC));
        this.events = Memory.map(bytes);
        this.timespec = events + eventBytes;
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

    /// Waits for events, at most `nanos` nanoseconds.
    ///
    /// @return the number of events; 0 after a signal
    public int await(long nanos) {
        if (precise) {
            int result = awaitPrecisely(nanos);
            if (result != -Errno.ENOSYS.number() && result != -Errno.EPERM.number()) {
                return count("epoll_pwait2", result);
            }
            precise = false;
        }
        // Rounded down: the caller asks again for the last part of a millisecond.
        long millis = nanos / NANOS_PER_MILLI;
        return count("epoll_wait", (int) WAIT.call(errno, fd, events, eventsMax, millis));
    }

    private static int count(String call, int result) {
        return result == -Errno.EINTR.number() ? 0 : (int) Syscall.check(call, result);
    }

    /// Needs Linux 5.11, and a container's seccomp filter may forbid it.
    private int awaitPrecisely(long nanos) {
        Memory.putLong(timespec, nanos / NANOS_PER_SECOND);
        Memory.putLong(timespec + Layouts.TIMESPEC_NSEC, nanos % NANOS_PER_SECOND);
        return (int) SYSCALL.call(errno, NR_PWAIT2, fd, events, eventsMax, timespec, 0, 0);
    }

    /// The event bits of the event with this index.
    public int eventMask(int index) {
        return Memory.getInt(
                events + (long) index * Layouts.EPOLL_EVENT_SIZE + Layouts.EPOLL_EVENT_EVENTS);
    }

    /// The data that was passed to [#add] for the event with this index.
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
        Syscall.closeQuietly(fd);
    }
}
