package wallfinder.sampling;

import java.nio.file.Path;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Reader;

/// The open files and sockets of the whole host, and their limit (`fs.file-max`): the first and the
/// third number of `/proc/sys/fs/file-nr`.
final class HostFilesReader implements Reader {
    private static final String SOURCE = "fs.file-nr (whole host)";

    private final SampledFile file;
    private final List<Counter> counters;

    HostFilesReader(End end) {
        this(end, Path.of("/proc/sys/fs/file-nr"));
    }

    HostFilesReader(End end, Path file) {
        this.file = new SampledFile(file);
        counters =
                List.of(
                        EndFigure.HOST_FILES.at(end, SOURCE),
                        EndFigure.HOST_FILES_LIMIT.at(end, SOURCE));
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        values[from] = Double.NaN;
        values[from + 1] = Double.NaN;
        if (file.read()) {
            values[from] = file.text().number();
            file.text().skipWord(); // free ones, always 0
            values[from + 1] = file.text().number();
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
