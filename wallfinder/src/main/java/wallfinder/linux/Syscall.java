package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// Binds functions of the C library, each with its errno captured: a downcall costs 4 ns, the
/// capture 2 more.
///
/// A bound function takes a [MemorySegment] for errno first, made by [#errnoSegment] once a thread,
/// and then its own arguments. Results are told the kernel's way by [#result]: the value, or minus
/// the errno.
final class Syscall {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final long ERRNO_AT =
            CAPTURE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> THREAD_ERRNO =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CAPTURE));

    private Syscall() {}

    /// Binds a function of the C library.
    static MethodHandle bind(String name, MemoryLayout result, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LIBC.findOrThrow(name),
                FunctionDescriptor.of(result, arguments),
                Linker.Option.captureCallState("errno"));
    }

    /// Binds a function with variable arguments.
    ///
    /// @param fixed how many of its arguments are declared
    static MethodHandle bindVariadic(
            String name, int fixed, MemoryLayout result, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LIBC.findOrThrow(name),
                FunctionDescriptor.of(result, arguments),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(fixed));
    }

    /// Binds `syscall(2)` for a call that the C library has no function for. The bound handle still
    /// takes the call's number first.
    static MethodHandle bindRaw(MemoryLayout... arguments) {
        MemoryLayout[] all = new MemoryLayout[arguments.length + 1];
        all[0] = ValueLayout.JAVA_LONG;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return LINKER.downcallHandle(
                LIBC.findOrThrow("syscall"),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, all),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(1));
    }

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
