package wallfinder.linux;

/// By how much the kernel may delay the end of a thread's waits, to end several at once: 50
/// microseconds unless set (`PR_SET_TIMERSLACK`, prctl(2)).
public final class TimerSlack {
    static final int PR_SET_TIMERSLACK = 29;

    private static final NativeFunction PRCTL = NativeFunction.ofInt("prctl");

    private TimerSlack() {}

    /// Lets waits of the calling thread end when they should. Where that is forbidden they end a
    /// little later, as without this.
    public static void minimize() {
        long _ = PRCTL.call(Syscall.errnoSegment(), PR_SET_TIMERSLACK, 1);
    }
}
