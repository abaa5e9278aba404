package wallfinder.linux;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

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

    private static final MemoryLayout L = ValueLayout.JAVA_LONG;
    private static final MemoryLayout I = ValueLayout.JAVA_INT;
    private static final MethodHandle CREATE = Syscall.bind("epoll_create1", I, I);
    private static final MethodHandle CTL = Syscall.bind("epoll_ctl", I, I, I, I, L);
    private static final MethodHandle WAIT = Syscall.bind("epoll_wait", I, I, L, I, I);
    private static final MethodHandle PWAIT2 = Syscall.bindRaw(I, L, I, L, L, L);
    private static final MethodHandle CLOSE = Syscall.bind("close", I, I);

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
        int result;
        try {
            result = (int) CREATE.invokeExact(errno, CLOEXEC);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
        return (int) Syscall.check("epoll_create1", Syscall.result(result, errno));
    }

    /// Watches a descriptor until it is closed.
    ///
    /// @return zero, or minus the errno
    public int add(int watched, int interests, long data) {
        long event = events + (long) eventsMax * Layouts.EPOLL_EVENT_SIZE;
        Memory.putInt(event + Layouts.EPOLL_EVENT_EVENTS, interests);
        Memory.putLong(event + Layouts.EPOLL_EVENT_DATA, data);
        try {
            int result = (int) CTL.invokeExact(errno, fd, CTL_ADD, watched, event);
            return (int) Syscall.result(result, errno);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
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
        try {
            long result =
                    (long)
                            PWAIT2.invokeExact(
                                    errno,
                                    (long) NR_PWAIT2,
                                    fd,
                                    events,
                                    eventsMax,
                                    timespec,
                                    0L,
                                    0L);
            return (int) Syscall.result(result, errno);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// Rounded down: the last part of a millisecond is spent asking again.
    private int awaitMillis(int millis) {
        int result;
        try {
            result = (int) WAIT.invokeExact(errno, fd, events, eventsMax, millis);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
        return (int) Syscall.result(result, errno);
    }

    /// What happened, of the event with this index.
    public int happened(int index) {
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
        int result;
        try {
            result = (int) CLOSE.invokeExact(errno, fd);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
        Syscall.check("close", Syscall.result(result, errno));
    }
}
