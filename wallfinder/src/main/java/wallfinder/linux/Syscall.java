package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/// What the calls of [NativeFunction] have in common. Results are told the kernel's way: the value,
/// or minus the errno.
final class Syscall {
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final long ERRNO_AT =
            CAPTURE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> THREAD_ERRNO =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CAPTURE));

    private Syscall() {}

    /// Where this thread's errno is captured. Hot loops keep it in a field.
    static MemorySegment errnoSegment() {
        return THREAD_ERRNO.get();
    }

    /// The value of a call, or minus its errno: read by its address, since a handle of the segment
    /// makes a new one for each look.
    static long result(long value, MemorySegment errno) {
        return value >= 0 ? value : -Memory.getInt(errno.address() + ERRNO_AT);
    }

    /// The value of a call that has to succeed.
    ///
    /// @param call what was attempted, for the message
    /// @throws SyscallException if it failed
    static long check(String call, long result) {
        if (result < 0) {
            throw new SyscallException(call, (int) -result);
        }
        return result;
    }

    /// A bound function threw: the binding itself is wrong.
    static AssertionError broken(Throwable cause) {
        return new AssertionError("a native binding does not match its function", cause);
    }
}
