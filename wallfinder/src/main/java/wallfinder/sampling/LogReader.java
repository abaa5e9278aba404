package wallfinder.sampling;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Reader;

/// What a service writes, looked through for the words by which a JVM says that its heap is full:
/// `log[SERVICE].heapErrors`. `NaN` if the log cannot be read.
///
/// The other errors of this class have other causes: native threads, direct buffers, classes.
final class LogReader implements Reader {
    /// More than this between two samples is not looked at, but for its end.
    private static final int BYTES_MAX = 256 * 1024;

    /// The longest text that is sought; so much is read again, for one that was cut.
    private static final int OVERLAP = 64;

    private static final byte[] CLASS =
            "java.lang.OutOfMemoryError: ".getBytes(StandardCharsets.US_ASCII);
    private static final List<byte[]> CAUSES =
            List.of(
                    "Java heap space".getBytes(StandardCharsets.US_ASCII),
                    "GC overhead limit exceeded".getBytes(StandardCharsets.US_ASCII));

    private final List<Counter> counters;
    private final List<Followed> files = new ArrayList<>();
    private double heapErrors;

    /// @param path where the service writes
    /// @param from what comes before was written by another start
    LogReader(End end, String service, File path, long from) {
        this(end, service, path.getPath());
        follow(path, from);
    }

    private LogReader(End end, String service, String source) {
        counters = List.of(LogFigure.HEAP_ERRORS.of(service).at(end, source));
    }

    /// What a process that runs already writes to its output from now on, if that is a file.
    static LogReader ofOutput(End end, String service, long pid) {
        LogReader reader = new LogReader(end, service, "/proc/PID/fd/1");
        File out = new File("/proc/" + pid + "/fd/1");
        File errors = new File("/proc/" + pid + "/fd/2");
        if (out.isFile()) {
            reader.follow(out, out.length());
        }
        if (errors.isFile() && !same(out, errors)) {
            reader.follow(errors, errors.length());
        }
        return reader;
    }

    /// Often both go to one file.
    private static boolean same(File one, File other) {
        try {
            return Files.isSameFile(one.toPath(), other.toPath());
        } catch (IOException e) {
            return false; // one is closed, or the process is gone
        }
    }

    private void follow(File path, long from) {
        try {
            files.add(new Followed(new RandomAccessFile(path, "r"), from));
        } catch (IOException e) {
            // It is not there, or not for us: nothing is known of it.
        }
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        for (Followed file : files) {
            heapErrors += file.readOn();
        }
        values[from] = files.isEmpty() ? Double.NaN : heapErrors;
    }

    /// A file that is read as it grows.
    private static final class Followed {
        private final RandomAccessFile file;
        private byte[] bytes = new byte[0];
        private long read;
        private long counted;

        Followed(RandomAccessFile file, long from) {
            this.file = file;
            this.read = from;
            this.counted = from;
        }

        /// @return how many errors began in what was not read before
        int readOn() {
            try {
                long length = file.length();
                if (length <= read) {
                    return 0;
                }
                long from = Math.max(length - BYTES_MAX, Math.max(counted, read - OVERLAP));
                bytes = new byte[(int) (length - from)];
                file.seek(from);
                file.readFully(bytes);
                read = length;
                return count(from);
            } catch (IOException e) {
                return 0; // cut shorter meanwhile: what is written next is read
            }
        }

        private int count(long from) {
            int count = 0;
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] == 'j' && tells(i)) {
                    count++;
                    counted = from + i + CLASS.length;
                }
            }
            return count;
        }

        private boolean tells(int at) {
            if (!stands(CLASS, at)) {
                return false;
            }
            for (byte[] cause : CAUSES) {
                if (stands(cause, at + CLASS.length)) {
                    return true;
                }
            }
            return false;
        }

        private boolean stands(byte[] text, int at) {
            for (int i = 0; i < text.length; i++) {
                if (at + i >= bytes.length || bytes[at + i] != text[i]) {
                    return false;
                }
            }
            return true;
        }
    }

    @Override
    public void close() {
        for (Followed followed : files) {
            try {
                followed.file.close();
            } catch (IOException e) {
                throw new AssertionError("closing a file that was only read", e);
            }
        }
        files.clear();
    }
}
