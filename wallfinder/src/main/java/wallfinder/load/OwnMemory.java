package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import wallfinder.linux.HostUnits;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Reader;

/// Reads the resident memory of this process.
final class OwnMemory implements Reader {
    private static final Path STATM = Path.of("/proc/self/statm");

    private final OwnFile file = new OwnFile(STATM);

    long rssBytes() {
        try {
            return Long.parseLong(file.text().split(" ")[1]) * HostUnits.PAGE_BYTES;
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
        file.close();
    }
}
