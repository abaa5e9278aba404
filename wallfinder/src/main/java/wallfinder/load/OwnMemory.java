package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import wallfinder.linux.HostUnits;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Reader;

/// Reads the resident memory of this process. The file stays open, so that it can be read when
/// descriptors have run out.
final class OwnMemory implements Reader {
    private static final Path STATM = Path.of("/proc/self/statm");
    private static final int BYTES_MAX = 256;

    private final FileChannel file;

    OwnMemory() {
        try {
            file = FileChannel.open(STATM);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long rssBytes() {
        try {
            ByteBuffer bytes = ByteBuffer.allocate(BYTES_MAX);
            file.read(bytes, 0);
            String text = StandardCharsets.US_ASCII.decode(bytes.flip()).toString();
            return Long.parseLong(text.split(" ")[1]) * HostUnits.PAGE_BYTES;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<Counter> counters() {
        return List.of(LoadFigure.GENERATOR_RSS.at(End.CLIENT, STATM.toString()));
    }

    @Override
    public void read(double[] values, int from) {
        values[from] = rssBytes();
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
