package wallfinder.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// By how much the kernel may delay the end of a thread's waits, to end several at once: 50
/// microseconds unless set (`PR_SET_TIMERSLACK`, prctl(2)).
public final class TimerSlack {
    static final int PR_SET_TIMERSLACK = 29;

    private static final MethodHandle PRCTL =
            Syscall.bindVariadic(
                    "prctl", 1, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);

    private TimerSlack() {}

    /// Lets waits of the calling thread end when they should. Where that is forbidden they end a
    /// little later, as without this.
    public static void least() {
        MemorySegment errno = Syscall.errnoSegment();
        try {
            int _ = (int) PRCTL.invokeExact(errno, PR_SET_TIMERSLACK, 1L);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }
}
