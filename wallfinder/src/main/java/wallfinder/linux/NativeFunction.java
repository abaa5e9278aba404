package wallfinder.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// A native function that takes whole numbers and addresses.
///
/// All calls have one signature: seven arguments of 64 bits, one result. A function ignores the
/// arguments that it does not declare, and reads the lower half of an `int`; the calling
/// conventions of Linux on x86-64, aarch64 and riscv64 guarantee both. Every further signature
/// would cost some milliseconds at each start, because the JVM generates a dozen classes for it. A
/// call takes 4 ns, and capturing errno takes 2 ns more.
///
/// An address passed as a number keeps no memory alive: the caller must keep the owner reachable
/// during the call.
///
/// @param wide true if it returns 64 bits, false if it returns an `int`
record NativeFunction(MemorySegment address, boolean wide) {
    private static final ValueLayout.OfLong L = ValueLayout.JAVA_LONG;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();
    private static final MethodHandle CALL =
            LINKER.downcallHandle(
                    FunctionDescriptor.of(L, L, L, L, L, L, L, L),
                    Linker.Option.captureCallState("errno"));

    static NativeFunction ofInt(String name) {
        return new NativeFunction(LIBC.findOrThrow(name), false);
    }

    /// A function that returns a `long` or an address.
    static NativeFunction ofLong(String name) {
        return new NativeFunction(LIBC.findOrThrow(name), true);
    }

    /// A function of another library that returns an `int`.
    static NativeFunction ofInt(SymbolLookup library, String name) {
        return new NativeFunction(library.findOrThrow(name), false);
    }

    /// A function of another library that returns a `long` or an address.
    static NativeFunction ofLong(SymbolLookup library, String name) {
        return new NativeFunction(library.findOrThrow(name), true);
    }

    /// `syscall(2)`, for a system call without a C library function: its number is the first
    /// argument.
    static NativeFunction raw() {
        return ofLong("syscall");
    }

    long call(MemorySegment errno) {
        return call(errno, 0, 0, 0, 0, 0, 0, 0);
    }

    long call(MemorySegment errno, long a) {
        return call(errno, a, 0, 0, 0, 0, 0, 0);
    }

    long call(MemorySegment errno, long a, long b) {
        return call(errno, a, b, 0, 0, 0, 0, 0);
    }

    long call(MemorySegment errno, long a, long b, long c) {
        return call(errno, a, b, c, 0, 0, 0, 0);
    }

    long call(MemorySegment errno, long a, long b, long c, long d) {
        return call(errno, a, b, c, d, 0, 0, 0);
    }

    long call(MemorySegment errno, long a, long b, long c, long d, long e) {
        return call(errno, a, b, c, d, e, 0, 0);
    }

    long call(MemorySegment errno, long a, long b, long c, long d, long e, long f) {
        return call(errno, a, b, c, d, e, f, 0);
    }

    /// @param errno from [Syscall#errnoSegment]
    /// @return the function's value, or minus the errno
    long call(MemorySegment errno, long a, long b, long c, long d, long e, long f, long g) {
        long value = invoke(address, errno, a, b, c, d, e, f, g);
        return Syscall.result(wide ? value : (int) value, errno);
    }

    /// The value of a function that does not report by errno.
    ///
    /// @param errno from [Syscall#errnoSegment]
    long value(MemorySegment errno, long a, long b, long c, long d) {
        long value = invoke(address, errno, a, b, c, d, 0, 0, 0);
        return wide ? value : (int) value;
    }

    /// A separate method, so that the JIT can compile it separately: see the JVM's options in
    /// bin/start.sh.
    private static long invoke(
            MemorySegment address,
            MemorySegment errno,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g) {
        try {
            return (long) CALL.invokeExact(address, errno, a, b, c, d, e, f, g);
        } catch (Throwable thrown) {
            throw Syscall.broken(thrown);
        }
    }
}
