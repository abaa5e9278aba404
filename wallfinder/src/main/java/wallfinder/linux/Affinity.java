package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/// Pins threads to CPUs (`sched_setaffinity(2)`).
public final class Affinity {
    /// Bytes of a CPU mask: 8,192 CPUs.
    private static final int MASK_BYTES = 1024;

    private static final NativeFunction SET = NativeFunction.ofInt("sched_setaffinity");
    private static final NativeFunction GETTID = NativeFunction.ofInt("gettid");

    private Affinity() {}

    /// The kernel's id of the calling thread.
    public static int threadId() {
        return (int) GETTID.call(Syscall.errnoSegment());
    }

    public static void pin(BitSet cpus) {
        pin(0, cpus);
    }

    /// Pins a thread. Threads and processes that it starts later inherit its CPUs.
    ///
    /// @param thread the kernel's id; a process id means the main thread
    /// @throws SyscallException if the thread may use none of these CPUs
    public static void pin(long thread, BitSet cpus) {
        byte[] mask = cpus.toByteArray();
        if (mask.length > MASK_BYTES) {
            throw new SyscallException("sched_setaffinity(" + cpus + ")", Errno.EINVAL.number());
        }
        MemorySegment errno = Syscall.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(MASK_BYTES, 8);
            MemorySegment.copy(mask, 0, words, ValueLayout.JAVA_BYTE, 0, mask.length);
            long result = SET.call(errno, thread, MASK_BYTES, words.address());
            Syscall.check("sched_setaffinity(" + cpus + ")", result);
        }
    }
}
