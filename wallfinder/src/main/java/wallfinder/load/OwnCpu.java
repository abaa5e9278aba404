package wallfinder.load;

import java.io.IOException;
import java.nio.file.Path;
import wallfinder.linux.HostUnits;

/// The CPU time of this whole process: the engine's threads, the samplers, and the JVM's compilers
/// and collectors.
final class OwnCpu implements AutoCloseable {
    static final Path STAT = Path.of("/proc/self/stat");

    /// `utime` and `stime` are the 14th and 15th field, and the second field ends with a bracket.
    private static final int UTIME_AFTER_NAME = 11;

    private final OwnFile file = new OwnFile(STAT);

    /// `NaN` if it cannot be read.
    double seconds() {
        try {
            String text = file.text();
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
        file.close();
    }
}
