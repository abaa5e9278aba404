package wallfinder.linux;

/// How long the kernel may delay a thread's timers to let several expire together: 50 microseconds
/// by default (`PR_SET_TIMERSLACK`, prctl(2)).
public final class TimerSlack {
    static final int PR_SET_TIMERSLACK = 29;

    private static final NativeFunction PRCTL = NativeFunction.ofInt("prctl");

    private TimerSlack() {}

    /// Makes waits of the calling thread end on time. If the kernel refuses, waits keep their
    /// default slack.
    public static void minimize() {
        long _ = PRCTL.call(Syscall.errnoSegment(), PR_SET_TIMERSLACK, 1);
    }
}
