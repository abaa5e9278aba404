package wallfinder.sandbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import wallfinder.linux.FileHole;

/// Bounds what a service's log takes on the disk, however long it runs: its beginning and its end
/// are kept, and a line between them tells how much is left out.
///
/// What is left out becomes a hole in the file. So nobody who writes is held up, nothing that is
/// written meanwhile is lost, and every place in the file stays where it was for who reads on. When
/// the service has ended, the hole is closed.
final class LongLog {
    /// A start and the first requests.
    static final long HEAD_BYTES = 1L << 20;

    /// More than anybody reads back: a load command's figures, the last lines of a service.
    static final long TAIL_BYTES = 4L << 20;

    /// Holes are made of whole blocks, which are no larger than this on any common file system.
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

    /// Cuts it, if there is enough to cut.
    ///
    /// @throws wallfinder.linux.SyscallException EOPNOTSUPP where the file system makes no holes
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

    /// Cuts it for the last time and closes the hole. Nobody may write any more.
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
