package wallfinder.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Native memory with an unmapped page behind its end: reading one byte past the end crashes the
/// process.
public final class GuardedMemory implements AutoCloseable {
    private static final long PAGE_BYTES = 4096;
    private static final int PROT_NONE = 0;
    private static final NativeFunction MPROTECT = NativeFunction.ofInt("mprotect");

    private final long bytes;
    private final long address;
    private final MemorySegment segment;

    public GuardedMemory(long room) {
        bytes = (room + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        address = Memory.map(bytes + PAGE_BYTES);
        segment = MemorySegment.ofAddress(address).reinterpret(bytes);
        MemorySegment errno = Syscall.errnoSegment();
        Syscall.check("mprotect", MPROTECT.call(errno, address + bytes, PAGE_BYTES, PROT_NONE));
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
