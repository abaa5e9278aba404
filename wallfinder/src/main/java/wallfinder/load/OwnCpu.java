package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import wallfinder.linux.HostUnits;

/// The CPU time of this whole process: the engine's threads, the samplers, and the JVM's compilers
/// and collectors. The file stays open, so that it can be read when descriptors have run out.
final class OwnCpu implements AutoCloseable {
    static final Path STAT = Path.of("/proc/self/stat");

    private static final int BYTES_MAX = 1_024;

    /// `utime` and `stime` are the 14th and 15th field, and the second field ends with a bracket.
    private static final int UTIME_AFTER_NAME = 11;

    private final FileChannel file;

    OwnCpu() {
        try {
            file = FileChannel.open(STAT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// `NaN` if it cannot be read.
    double seconds() {
        try {
            ByteBuffer bytes = ByteBuffer.allocate(BYTES_MAX);
            file.read(bytes, 0);
            String text = StandardCharsets.ISO_8859_1.decode(bytes.flip()).toString();
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
            long ticks =
                    Long.parseLong(fields[UTIME_AFTER_NAME])
                            + Long.parseLong(fields[UTIME_AFTER_NAME + 1]);
            return (double) ticks / HostUnits.TICKS_PER_SECOND;
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
