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

    private static final MemoryLayout L = ValueLayout.JAVA_LONG;
    private static final MemoryLayout I = ValueLayout.JAVA_INT;
    private static final MethodHandle CREATE = Syscall.bind("epoll_create1", I, I);
    private static final MethodHandle CTL = Syscall.bind("epoll_ctl", I, I, I, I, L);
    private static final MethodHandle WAIT = Syscall.bind("epoll_wait", I, I, L, I, I);
    private static final MethodHandle CLOSE = Syscall.bind("close", I, I);

    private final MemorySegment errno = Syscall.errnoSegment();
    private final int fd;
    private final int eventsMax;
    private final long bytes;
    private final long events;
    private boolean closed;

    /// @param eventsMax the most events told by one [#await]
    public Epoll(int eventsMax) {
        this.eventsMax = eventsMax;
        this.bytes = (long) (eventsMax + 1) * Layouts.EPOLL_EVENT_SIZE;
        this.fd = create(errno);
        this.events = Memory.map(bytes);
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

    /// Waits for events, for zero or more milliseconds.
    ///
    /// @return how many there are; a signal gives none
    public int await(int millis) {
        int result;
        try {
            result = (int) WAIT.invokeExact(errno, fd, events, eventsMax, millis);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
        int told = (int) Syscall.result(result, errno);
        return told == -Errno.EINTR.number() ? 0 : (int) Syscall.check("epoll_wait", told);
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
