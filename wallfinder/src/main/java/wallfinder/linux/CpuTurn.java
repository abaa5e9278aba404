package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Shortens the time that a thread waits for a busy CPU (`sched_setattr(2)`).
///
/// A thread that wakes may wait until the running thread has used up its slice, up to one tick (4
/// ms). Since Linux 6.12 an ordinary thread may ask for a shorter slice than the others have. It
/// then preempts them as soon as it wakes (PREEMPT_SHORT in kernel/sched/fair.c), but they run
/// again when its slice is over. Only a thread with a greater weight keeps the CPU, and raising the
/// weight needs a privilege.
public final class CpuTurn {
    /// The first version of `struct sched_attr`, which all kernels know.
    private static final int ATTRIBUTES_BYTES = 48;

    private static final int NICE_AT = 16;
    private static final int RUNTIME_AT = 24;

    /// Shorter than the default slice, which is 0.7 ms and grows with the number of CPUs.
    private static final long SLICE_NANOS = 500_000;

    private static final int NICER = 10;
    private static final int NICE_MIN = -20;

    private static final long SET = HostUnits.X86 ? 314 : 274;
    private static final long GET = SET + 1;

    private static final NativeFunction SYSCALL = NativeFunction.raw();

    private CpuTurn() {}

    /// Lets the calling thread run as soon as it wakes, if the kernel supports and allows that.
    ///
    /// @param raiseWeight whether the thread may also keep the CPU from other threads; only for
    ///   CPUs that the measured service does not use
    public static void wakeSooner(boolean raiseWeight) {
        MemorySegment errno = Syscall.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
            long address = attributes.address();
            if (SYSCALL.call(errno, GET, 0, address, ATTRIBUTES_BYTES, 0) != 0) {
                return;
            }
            attributes.set(ValueLayout.JAVA_LONG, RUNTIME_AT, SLICE_NANOS);
            int nice = attributes.get(ValueLayout.JAVA_INT, NICE_AT);
            if (raiseWeight) {
                attributes.set(ValueLayout.JAVA_INT, NICE_AT, Math.max(NICE_MIN, nice - NICER));
                if (SYSCALL.call(errno, SET, 0, address, 0) == 0) {
                    return;
                }
                attributes.set(ValueLayout.JAVA_INT, NICE_AT, nice);
            }
            long _ = SYSCALL.call(errno, SET, 0, address, 0);
        }
    }
}
