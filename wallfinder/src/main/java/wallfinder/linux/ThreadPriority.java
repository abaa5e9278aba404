package wallfinder.linux;

/// How soon a thread gets a CPU that several want (`nice(2)`, which on Linux is of a thread).
public final class ThreadPriority {
    private static final int STEP = -10;

    private static final NativeFunction NICE = NativeFunction.ofInt("nice");

    private ThreadPriority() {}

    /// Lets the calling thread go before others of its process. Where that is forbidden, which
    /// without root it is as a rule, nothing changes.
    public static void raise() {
        long _ = NICE.call(Syscall.errnoSegment(), STEP);
    }
}
