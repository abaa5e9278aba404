package wallfinder.linux;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// Native memory that ends where no memory is: whoever reads one byte past its end ends the
/// process.
public final class GuardedMemory implements AutoCloseable {
    private static final long PAGE_BYTES = 4096;
    private static final int PROT_NONE = 0;
    private static final MemoryLayout L = ValueLayout.JAVA_LONG;
    private static final MemoryLayout I = ValueLayout.JAVA_INT;
    private static final MethodHandle MPROTECT = Syscall.bind("mprotect", I, L, L, I);

    private final long bytes;
    private final long address;
    private final MemorySegment segment;

    public GuardedMemory(long room) {
        bytes = (room + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        address = Memory.map(bytes + PAGE_BYTES);
        segment = MemorySegment.ofAddress(address).reinterpret(bytes);
        MemorySegment errno = Syscall.errnoSegment();
        try {
            int result = (int) MPROTECT.invokeExact(errno, address + bytes, PAGE_BYTES, PROT_NONE);
            Syscall.check("mprotect", Syscall.result(result, errno));
        } catch (SyscallException e) {
            throw e;
        } catch (Throwable e) {
            throw Syscall.broken(e);
        }
    }

    /// Puts a piece of an array at the very end.
    ///
    /// @return where it begins
    public long place(byte[] array, int from, int length) {
        long at = bytes - length;
        MemorySegment.copy(array, from, segment, ValueLayout.JAVA_BYTE, at, length);
        return address + at;
    }

    @Override
    public void close() {
        Memory.unmap(address, bytes + PAGE_BYTES);
    }
}
