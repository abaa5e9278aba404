package wallfinder.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The part of a file that is in the kernel's page cache.
public final class FileCache {
    private static final int DONTNEED = 4;

    private static final NativeFunction FSYNC = NativeFunction.ofInt("fsync");
    private static final NativeFunction FADVISE = NativeFunction.ofInt("posix_fadvise");
    private static final NativeFunction MINCORE = NativeFunction.ofInt("mincore");

    private FileCache() {}

    /// Writes a file to disk and drops it from the page cache (`posix_fadvise(2)`,
    /// POSIX_FADV_DONTNEED). Pages that a process has mapped stay.
    public static void drop(Path file) {
        MemorySegment errno = Syscall.errnoSegment();
        int descriptor = Syscall.open(file.toString(), Syscall.O_RDONLY);
        try {
            Syscall.check("fsync " + file, FSYNC.call(errno, descriptor));
            // posix_fadvise returns the error number and does not set errno.
            long result = -FADVISE.call(errno, descriptor, 0, 0, DONTNEED);
            Syscall.check("posix_fadvise " + file, result);
        } finally {
            Syscall.closeQuietly(descriptor);
        }
    }

    /// The number of bytes of a file in the page cache, in whole pages.
    public static long cachedBytes(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                Arena arena = Arena.ofConfined()) {
            long length = channel.size();
            if (length == 0) {
                return 0;
            }
            MemorySegment mapped = channel.map(MapMode.READ_ONLY, 0, length, arena);
            long pages = (length + HostUnits.PAGE_BYTES - 1) / HostUnits.PAGE_BYTES;
            MemorySegment present = arena.allocate(pages);
            Syscall.check(
                    "mincore " + file,
                    MINCORE.call(
                            Syscall.errnoSegment(), mapped.address(), length, present.address()));
            long count = 0;
            for (long page = 0; page < pages; page++) {
                count += present.get(ValueLayout.JAVA_BYTE, page) & 1;
            }
            return count * HostUnits.PAGE_BYTES;
        }
    }
}
