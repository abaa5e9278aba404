package wallfinder.linux;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/// Native memory by plain addresses, for the hot paths.
///
/// All accesses go through one segment that spans the address space and is a constant for the
/// compiler, so that an access costs one instruction. Nothing checks an address: a caller keeps
/// within what it has mapped, and uses nothing after [#unmap].
public final class Memory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final ValueLayout.OfLong LONG_UNALIGNED = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.varHandle();

    private static final MemoryLayout L = ValueLayout.JAVA_LONG;
    private static final MemoryLayout I = ValueLayout.JAVA_INT;
    private static final MethodHandle MMAP = Syscall.bind("mmap", L, L, L, I, I, I, L);
    private static final MethodHandle MUNMAP = Syscall.bind("munmap", I, L, L);

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

    /// Copies an array to native memory.
    public static void putBytes(long address, byte[] bytes) {
        MemorySegment.copy(bytes, 0, ALL, ValueLayout.JAVA_BYTE, address, bytes.length);
    }

    /// Copies the first bytes of an array to native memory.
    public static void putBytes(long address, byte[] bytes, int length) {
        MemorySegment.copy(bytes, 0, ALL, ValueLayout.JAVA_BYTE, address, length);
    }

    /// Copies native memory to an array of its own.
    public static byte[] getBytes(long address, int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, bytes, 0, length);
        return bytes;
    }

    /// Copies native memory to a part of an array.
    public static void getBytes(long address, byte[] bytes, int to, int count) {
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, bytes, to, count);
    }

    /// Native memory as a buffer, for what takes no addresses.
    public static ByteBuffer buffer(long address, long bytes) {
        return ALL.asSlice(address, bytes).asByteBuffer();
    }

    /// Copies native memory to another place, which does not overlap with it.
    public static void copy(long from, long to, long length) {
        MemorySegment.copy(ALL, from, ALL, to, length);
    }

    static int getIntAcquire(long address) {
        return (int) INT.getAcquire(ALL, address);
    }

    static void putIntRelease(long address, int value) {
        INT.setRelease(ALL, address, value);
    }

    static void putShortRelease(long address, short value) {
        SHORT.setRelease(ALL, address, value);
    }

    /// Maps zeroed pages of our own.
    ///
    /// @throws SyscallException if there is no memory
    public static long map(long bytes) {
        return map(bytes, MAP_PRIVATE_ANONYMOUS, -1, 0, "mmap of " + bytes + " bytes");
    }

    static long mapShared(int fd, long offset, long bytes) {
        return map(bytes, MAP_SHARED | MAP_POPULATE, fd, offset, "mmap of a ring");
    }

    private static long map(long bytes, int flags, int fd, long offset, String call) {
        MemorySegment errno = Syscall.errnoSegment();
        try {
            long address =
                    (long) MMAP.invokeExact(errno, 0L, bytes, PROT_READ_WRITE, flags, fd, offset);
            return Syscall.check(call, Syscall.result(address, errno));
        } catch (SyscallException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        } finally {
            Reference.reachabilityFence(errno);
        }
    }

    public static void unmap(long address, long bytes) {
        MemorySegment errno = Syscall.errnoSegment();
        try {
            int result = (int) MUNMAP.invokeExact(errno, address, bytes);
            Syscall.check("munmap", Syscall.result(result, errno));
        } catch (SyscallException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }
}
