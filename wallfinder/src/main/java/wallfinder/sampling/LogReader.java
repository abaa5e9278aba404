package wallfinder.sampling;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Reader;

/// Counts the messages in a service's log by which a JVM reports a full heap:
/// `log[SERVICE].heapErrors`. `NaN` if the log cannot be read.
///
/// An OutOfMemoryError with another message has another cause: native threads, direct buffers,
/// classes.
final class LogReader implements Reader {
    /// If there is more output between two samples, it reads only the end.
    private static final int BYTES_MAX = 256 * 1024;

    /// Longer than any text that it looks for: it reads this many bytes again, in case a text was
    /// cut in two.
    private static final int OVERLAP = 64;

    private static final byte[] CLASS = KernelText.key("java.lang.OutOfMemoryError: ");
    private static final List<byte[]> CAUSES =
            List.of(
                    KernelText.key("Java heap space"),
                    KernelText.key("GC overhead limit exceeded"));

    private final List<Counter> counters;
    private final List<Followed> files = new ArrayList<>();
    private double heapErrors;

    /// @param path the service's log
    /// @param from where the output of this start begins
    LogReader(End end, String service, File path, long from) {
        this(end, service, path.getPath());
        follow(path, from);
    }

    private LogReader(End end, String service, String source) {
        counters = List.of(LogFigure.HEAP_ERRORS.of(service).at(end, source));
    }

    /// Reads what a running process writes to its output from now on, if its output is a file.
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

    /// Often both outputs go to one file.
    private static boolean same(File one, File other) {
        try {
            return Files.isSameFile(one.toPath(), other.toPath());
        } catch (IOException e) {
            return false; // one is closed, or the process has ended
        }
    }

    private void follow(File path, long from) {
        try {
            files.add(new Followed(new RandomAccessFile(path, "r"), from));
        } catch (IOException e) {
            // The file is missing or unreadable: its errors are unknown.
        }
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void read(double[] values, int from) {
        for (Followed file : files) {
            heapErrors += file.readNew();
        }
        values[from] = files.isEmpty() ? Double.NaN : heapErrors;
    }

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

        /// @return the number of errors that begin in the new part of the file
        int readNew() {
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
                return 0; // the file shrank meanwhile
            }
        }

        private int count(long from) {
            int count = 0;
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] == 'j' && isHeapError(i)) {
                    count++;
                    counted = from + i + CLASS.length;
                }
            }
            return count;
        }

        private boolean isHeapError(int at) {
            return contains(CLASS, at)
                    && CAUSES.stream().anyMatch(cause -> contains(cause, at + CLASS.length));
        }

        private boolean contains(byte[] text, int at) {
            int end = at + text.length;
            return end <= bytes.length && Arrays.equals(bytes, at, end, text, 0, text.length);
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
