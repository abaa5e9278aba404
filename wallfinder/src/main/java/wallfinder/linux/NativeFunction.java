package wallfinder.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// A function of the C library that takes whole numbers and addresses.
///
/// All are called in one shape: seven numbers of 64 bits in, one out. What a function has not
/// declared it does not read, and of an `int` it reads the lower half: so it is in the calling
/// conventions of Linux on x86-64, aarch64 and riscv64. Each other shape costs the JVM some
/// milliseconds at every start (it makes a dozen classes), which is what this is for. A call costs
/// 4 ns and the capture of errno 2 more.
///
/// An address that is given as a number keeps nothing alive: its owner is held over the call.
///
/// @param wide true if it returns 64 bits, false if an `int`
record NativeFunction(MemorySegment address, boolean wide) {
    private static final ValueLayout.OfLong L = ValueLayout.JAVA_LONG;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();
    private static final MethodHandle CALL =
            LINKER.downcallHandle(
                    FunctionDescriptor.of(L, L, L, L, L, L, L, L),
                    Linker.Option.captureCallState("errno"));

    /// One that returns an `int`.
    static NativeFunction ofInt(String name) {
        return new NativeFunction(LIBC.findOrThrow(name), false);
    }

    /// One that returns a `long` or an address.
    static NativeFunction ofLong(String name) {
        return new NativeFunction(LIBC.findOrThrow(name), true);
    }

    /// `syscall(2)`, for a call that the C library has no function for: its number goes first.
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

    /// Calls it.
    ///
    /// @param errno made by [Syscall#errnoSegment]
    /// @return its value, or minus the errno
    long call(MemorySegment errno, long a, long b, long c, long d, long e, long f, long g) {
        long value = invoke(address, errno, a, b, c, d, e, f, g);
        return Syscall.result(wide ? value : (int) value, errno);
    }

    /// By itself, so that it can be compiled by itself: see the JVM's options in bin/build.sh.
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
