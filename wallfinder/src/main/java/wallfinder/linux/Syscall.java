package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/// Results, descriptors and errors of native calls. A result is the value, or minus the errno, as
/// in the kernel.
final class Syscall {
    static final int O_RDONLY = 0;
    static final int O_WRONLY = 1;
    static final int O_CLOEXEC = 0x80000;

    private static final NativeFunction OPEN = NativeFunction.ofInt("open");
    private static final NativeFunction CLOSE = NativeFunction.ofInt("close");

    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final long ERRNO_AT =
            CAPTURE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> THREAD_ERRNO =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CAPTURE));

    private Syscall() {}

    /// The segment that captures this thread's errno. Hot loops keep it in a field.
    static MemorySegment errnoSegment() {
        return THREAD_ERRNO.get();
    }

    /// The value of a call, or minus its errno. Reads errno by its address, because a segment's var
    /// handle would allocate on each read.
    static long result(long value, MemorySegment errno) {
        return value >= 0 ? value : -Memory.getInt(errno.address() + ERRNO_AT);
    }

    /// The value of a call that must succeed, or a [SyscallException] that names the call.
    static long check(String call, long result) {
        if (result < 0) {
            throw new SyscallException(call, (int) -result);
        }
        return result;
    }

    /// Opens a file that is closed on exec, or throws a [SyscallException].
    static int open(String path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            long address = arena.allocateFrom(path).address();
            return (int)
                    check("open " + path, OPEN.call(errnoSegment(), address, flags | O_CLOEXEC));
        }
    }

    /// Closes a descriptor. The kernel releases it even if close(2) reports an error.
    static void closeQuietly(int descriptor) {
        long _ = CLOSE.call(errnoSegment(), descriptor);
    }

    static AssertionError broken(Throwable cause) {
        return new AssertionError("a native binding does not match its function", cause);
    }
}
