package wallfinder.linux;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Frees the disk space of a part of a file (`fallocate(2)`, FALLOC_FL_PUNCH_HOLE). The part then
/// reads as zeros. All other bytes keep their offsets, so another process can go on writing.
public final class FileHole {
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;

    private static final NativeFunction FALLOCATE = NativeFunction.ofInt("fallocate");

    private FileHole() {}

    /// Both `from` and `bytes` must be multiples of the disk's block size.
    ///
    /// @throws SyscallException EOPNOTSUPP if the file system does not support holes
    public static void punch(Path file, long from, long bytes) {
        int descriptor = Syscall.open(file.toString(), Syscall.O_WRONLY);
        try {
            MemorySegment errno = Syscall.errnoSegment();
            int mode = PUNCH_HOLE | KEEP_SIZE;
            long result = FALLOCATE.call(errno, descriptor, mode, from, bytes);
            Syscall.check("fallocate " + file, result);
        } finally {
            Syscall.closeQuietly(descriptor);
        }
    }
}
