package wallfinder.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/// Native memory by plain addresses, for the hot paths.
///
/// All accesses use one constant segment that spans the address space, so the JIT compiles each to
/// one instruction. Nothing checks addresses: a caller must stay inside its mapping and must not
/// use it after [#unmap].
public final class Memory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final ValueLayout.OfLong LONG_UNALIGNED = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.varHandle();

    private static final NativeFunction MMAP = NativeFunction.ofLong("mmap");
    private static final NativeFunction MUNMAP = NativeFunction.ofInt("munmap");

    static final int PROT_READ_WRITE = 3;
    static final int MAP_SHARED = 1;
    static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    static final int MAP_POPULATE = 0x8000;

    private Memory() {}

    public static byte getByte(long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    public static void putByte(long address, byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, value);
    }

    public static short getShort(long address) {
        return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
    }

    public static void putShort(long address, short value) {
        ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, value);
    }

    public static int getInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    public static void putInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    public static long getLong(long address) {
        return ALL.get(LONG_UNALIGNED, address);
    }

    public static void putLong(long address, long value) {
        ALL.set(LONG_UNALIGNED, address, value);
    }

    public static void putBytes(long address, byte[] bytes) {
        MemorySegment.copy(bytes, 0, ALL, ValueLayout.JAVA_BYTE, address, bytes.length);
    }

    public static void putBytes(long address, byte[] bytes, int length) {
        MemorySegment.copy(bytes, 0, ALL, ValueLayout.JAVA_BYTE, address, length);
    }

    public static byte[] getBytes(long address, int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, bytes, 0, length);
        return bytes;
    }

    public static void getBytes(long address, byte[] bytes, int to, int count) {
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, bytes, to, count);
    }

    /// Native memory as a buffer, for code that takes no addresses.
    public static ByteBuffer buffer(long address, long bytes) {
        return ALL.asSlice(address, bytes).asByteBuffer();
    }

    /// Copies native memory to another place. The two must not overlap. Meant for a few hundred
    /// bytes; allocates nothing, whether interpreted or compiled.
    public static void copy(long from, long to, long length) {
        long at = 0;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            putLong(to + at, getLong(from + at));
        }
        for (; at < length; at++) {
            putByte(to + at, getByte(from + at));
        }
    }

    static int getIntAcquire(long address) {
        return (int) INT.getAcquire(ALL, address);
    }

    static long getLongAcquire(long address) {
        return (long) LONG.getAcquire(ALL, address);
    }

    static void putLongRelease(long address, long value) {
        LONG.setRelease(ALL, address, value);
    }

    static void putIntRelease(long address, int value) {
        INT.setRelease(ALL, address, value);
    }

    static void putShortRelease(long address, short value) {
        SHORT.setRelease(ALL, address, value);
    }

    /// Maps zeroed private pages, or throws a [SyscallException] if there is no memory.
    public static long map(long bytes) {
        return map(bytes, MAP_PRIVATE_ANONYMOUS, -1, 0, "mmap of " + bytes + " bytes");
    }

    static long mapShared(int fd, long offset, long bytes) {
        return map(bytes, MAP_SHARED | MAP_POPULATE, fd, offset, "mmap of a ring");
    }

    private static long map(long bytes, int flags, int fd, long offset, String call) {
        MemorySegment errno = Syscall.errnoSegment();
        long address = MMAP.call(errno, 0, bytes, PROT_READ_WRITE, flags, fd, offset);
        return Syscall.check(call, address);
    }

    public static void unmap(long address, long bytes) {
        Syscall.check("munmap", MUNMAP.call(Syscall.errnoSegment(), address, bytes));
    }
}
