package wallfinder.sandbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import wallfinder.linux.FileHole;

/// Bounds the disk space of a service's log, however long the service runs. The log keeps its
/// beginning and its end, and a line between the two says how many bytes are left out.
///
/// The middle becomes a hole in the file. Writers are not delayed, nothing that they write in the
/// meantime is lost, and the offsets of readers stay valid. The hole is removed when the service
/// has ended.
final class LongLog {
    /// Enough for the start and the first requests.
    static final long HEAD_BYTES = 1L << 20;

    /// More than is ever read back: the figures of a load command, the last lines of a service.
    static final long TAIL_BYTES = 4L << 20;

    /// Holes consist of whole blocks. No common file system has larger blocks.
    private static final long BLOCK_BYTES = 64L << 10;

    private static final int COPIED_BYTES = 256 << 10;

    private final Path path;
    private final long hole;
    private long holeEnd;

    LongLog(ServiceLog log) {
        this.path = log.path();
        this.hole = blocks(log.start() + HEAD_BYTES + BLOCK_BYTES);
        this.holeEnd = hole;
    }

    private static long blocks(long bytes) {
        return bytes / BLOCK_BYTES * BLOCK_BYTES;
    }

    /// Cuts the log if it is long enough.
    ///
    /// @throws wallfinder.linux.SyscallException EOPNOTSUPP if the file system has no holes
    synchronized void cut() throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            long end = blocks(file.size() - TAIL_BYTES);
            if (end - holeEnd < TAIL_BYTES) {
                return;
            }
            FileHole.punch(path, holeEnd, end - holeEnd);
            holeEnd = end;
            byte[] mark = mark().getBytes(StandardCharsets.UTF_8);
            file.write(ByteBuffer.wrap(mark), hole - mark.length);
        }
    }

    private String mark() {
        return "%n[Wallfinder left out %,d bytes of this log here]%n".formatted(holeEnd - hole);
    }

    /// Cuts the log for the last time and removes the hole. The service must have ended.
    synchronized void close() throws IOException {
        cut();
        if (holeEnd == hole) {
            return;
        }
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.allocate(COPIED_BYTES);
            long to = hole;
            long from = holeEnd;
            while (file.read(bytes, from) > 0) {
                bytes.flip();
                from += bytes.remaining();
                while (bytes.hasRemaining()) {
                    to += file.write(bytes, to);
                }
                bytes.clear();
            }
            file.truncate(to);
        }
        holeEnd = hole;
    }
}
