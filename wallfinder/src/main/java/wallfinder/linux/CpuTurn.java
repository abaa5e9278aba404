package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// How soon a thread gets a CPU that others want, and keeps it (`sched_setattr(2)`).
///
/// A thread that wakes may wait for the whole slice of the one that runs, up to a tick: 4 ms. From
/// Linux 6.12 on an ordinary thread may ask for a shorter slice than others have, and then gets the
/// CPU as soon as it wakes (PREEMPT_SHORT in kernel/sched/fair.c). But when that slice is over the
/// others have their turn, unless its weight is greater, for which a right is needed.
public final class CpuTurn {
    /// The first version of `struct sched_attr`, which all kernels know.
    private static final int ATTRIBUTES_BYTES = 48;

    private static final int NICE_AT = 16;
    private static final int RUNTIME_AT = 24;

    /// Less than what others have by default, which is 0.7 ms and more with each CPU.
    private static final long SLICE_NANOS = 500_000;

    private static final int NICER = 10;
    private static final int NICE_MIN = -20;

    private static final long SET = Layouts.X86 ? 314 : 274;
    private static final long GET = SET + 1;

    private static final NativeFunction SYSCALL = NativeFunction.raw();

    private CpuTurn() {}

    /// Lets the calling thread run when it wakes, as far as the kernel has that and allows it.
    ///
    /// @param first whether it may also keep the CPU from others: only where it is no CPU of what
    ///   is measured
    public static void wakeSooner(boolean first) {
        MemorySegment errno = Syscall.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
            long address = attributes.address();
            if (SYSCALL.call(errno, GET, 0, address, ATTRIBUTES_BYTES, 0) != 0) {
                return;
            }
            attributes.set(ValueLayout.JAVA_LONG, RUNTIME_AT, SLICE_NANOS);
            int nice = attributes.get(ValueLayout.JAVA_INT, NICE_AT);
            if (first) {
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
