package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/// Which CPUs the calling thread may run on, and which thread it is to the kernel.
public final class Affinity {
    /// Bytes of a CPU mask: 8,192 CPUs.
    private static final int MASK_BYTES = 1024;

    private static final MemoryLayout I = ValueLayout.JAVA_INT;
    private static final MemoryLayout L = ValueLayout.JAVA_LONG;
    private static final MethodHandle SET = Syscall.bind("sched_setaffinity", I, I, L, L);
    private static final MethodHandle GET = Syscall.bind("sched_getaffinity", I, I, L, L);
    private static final MethodHandle GETTID = Syscall.bind("gettid", I);

    private Affinity() {}

    /// The kernel's number of the calling thread.
    public static int threadId() {
        try {
            return (int) GETTID.invokeExact(Syscall.errnoSegment());
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// Binds the calling thread to some CPUs.
    ///
    /// @throws SyscallException if none of them is allowed
    public static void pin(BitSet cpus) {
        byte[] mask = cpus.toByteArray();
        if (mask.length > MASK_BYTES) {
            throw new SyscallException("sched_setaffinity(" + cpus + ")", Errno.EINVAL.number());
        }
        MemorySegment errno = Syscall.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(MASK_BYTES, 8);
            MemorySegment.copy(mask, 0, words, ValueLayout.JAVA_BYTE, 0, mask.length);
            long result = set(errno, words.address());
            Syscall.check("sched_setaffinity(" + cpus + ")", Syscall.result(result, errno));
        }
    }

    /// The CPUs the calling thread may run on.
    public static BitSet allowed() {
        MemorySegment errno = Syscall.errnoSegment();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            long result = get(errno, mask.address());
            Syscall.check("sched_getaffinity", Syscall.result(result, errno));
            return BitSet.valueOf(mask.asByteBuffer());
        }
    }

    private static int set(MemorySegment errno, long mask) {
        try {
            return (int) SET.invokeExact(errno, 0, (long) MASK_BYTES, mask);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    private static int get(MemorySegment errno, long mask) {
        try {
            return (int) GET.invokeExact(errno, 0, (long) MASK_BYTES, mask);
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }
}
