package wallfinder.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Gives a part of a file back to the disk (`fallocate(2)`, FALLOC_FL_PUNCH_HOLE): it reads as
/// zeros from then on, and all else stays in its place, also for who is writing.
public final class FileHole {
    private static final int O_WRONLY = 1;
    private static final int O_CLOEXEC = 0x80000;
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;

    private static final NativeFunction OPEN = NativeFunction.ofInt("open");
    private static final NativeFunction FALLOCATE = NativeFunction.ofInt("fallocate");
    private static final NativeFunction CLOSE = NativeFunction.ofInt("close");

    private FileHole() {}

    /// @param from in whole blocks of the disk, as is the length
    /// @throws SyscallException EOPNOTSUPP where the file system cannot do it
    public static void punch(Path file, long from, long bytes) {
        MemorySegment errno = Syscall.errnoSegment();
        int descriptor;
        try (Arena arena = Arena.ofConfined()) {
            long path = arena.allocateFrom(file.toString()).address();
            long opened = OPEN.call(errno, path, O_WRONLY | O_CLOEXEC);
            descriptor = (int) Syscall.check("open " + file, opened);
        }
        try {
            int mode = PUNCH_HOLE | KEEP_SIZE;
            long result = FALLOCATE.call(errno, descriptor, mode, from, bytes);
            Syscall.check("fallocate " + file, result);
        } finally {
            CLOSE.call(errno, descriptor);
        }
    }
}
