package wallfinder.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The part of a file that the kernel has in memory (its page cache).
public final class FileCache {
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;
    private static final int DONTNEED = 4;
    private static final int PAGE_BYTES = 4096;

    private static final NativeFunction OPEN = NativeFunction.ofInt("open");
    private static final NativeFunction FSYNC = NativeFunction.ofInt("fsync");
    private static final NativeFunction FADVISE = NativeFunction.ofInt("posix_fadvise");
    private static final NativeFunction CLOSE = NativeFunction.ofInt("close");
    private static final NativeFunction MINCORE = NativeFunction.ofInt("mincore");

    private FileCache() {}

    /// Has the kernel forget a file (`posix_fadvise(2)`, POSIX_FADV_DONTNEED), after what is not on
    /// the disk yet has been written. Pages that some process has mapped stay.
    public static void drop(Path file) {
        MemorySegment errno = Syscall.errnoSegment();
        int descriptor;
        try (Arena arena = Arena.ofConfined()) {
            long path = arena.allocateFrom(file.toString()).address();
            descriptor =
                    (int)
                            Syscall.check(
                                    "open " + file, OPEN.call(errno, path, O_RDONLY | O_CLOEXEC));
        }
        try {
            Syscall.check("fsync " + file, FSYNC.call(errno, descriptor));
            // It returns the errno, and sets none.
            long result = -FADVISE.call(errno, descriptor, 0, 0, DONTNEED);
            Syscall.check("posix_fadvise " + file, result);
        } finally {
            CLOSE.call(errno, descriptor);
        }
    }

    /// How many bytes of a file are in memory, in whole pages.
    public static long cachedBytes(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                Arena arena = Arena.ofConfined()) {
            long length = channel.size();
            if (length == 0) {
                return 0;
            }
            MemorySegment mapped = channel.map(MapMode.READ_ONLY, 0, length, arena);
            long pages = (length + PAGE_BYTES - 1) / PAGE_BYTES;
            MemorySegment present = arena.allocate(pages);
            Syscall.check(
                    "mincore " + file,
                    MINCORE.call(
                            Syscall.errnoSegment(), mapped.address(), length, present.address()));
            long count = 0;
            for (long page = 0; page < pages; page++) {
                count += present.get(ValueLayout.JAVA_BYTE, page) & 1;
            }
            return count * PAGE_BYTES;
        }
    }
}
