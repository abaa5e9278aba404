package wallfinder.sampling;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Reader;

/// Counts the messages in a service's log that report a refusal: the figures of [LogFigure]. `NaN`
/// if the log cannot be read.
///
/// An OutOfMemoryError of a JVM is about its heap only with one of two messages. With others its
/// cause is native threads, direct buffers or classes.
final class LogReader implements Reader {
    /// If there is more output between two samples, it reads only the end.
    private static final int BYTES_MAX = 256 * 1024;

    /// Longer than any text that it looks for: it reads this many bytes again, in case a text was
    /// cut in two.
    private static final int OVERLAP = 64;

    private static final List<Message> MESSAGES =
            List.of(
                    message(LogFigure.HEAP_ERRORS, "java.lang.OutOfMemoryError: Java heap space"),
                    message(
                            LogFigure.HEAP_ERRORS,
                            "java.lang.OutOfMemoryError: GC overhead limit exceeded"),
                    // The C library's text for EMFILE and ENFILE, which some runtimes begin with a
                    // small letter.
                    message(LogFigure.DESCRIPTOR_ERRORS, "oo many open files"),
                    // ENFILE in Node.js
                    message(LogFigure.DESCRIPTOR_ERRORS, "file table overflow"),
                    // A JVM, CPython, and Go
                    message(LogFigure.THREAD_ERRORS, "unable to create native thread"),
                    // Java 8
                    message(LogFigure.THREAD_ERRORS, "unable to create new native thread"),
                    message(LogFigure.THREAD_ERRORS, "can't start new thread"),
                    message(LogFigure.THREAD_ERRORS, "failed to create new OS thread"));

    /// The bytes with which a message begins.
    private static final boolean[] MAY_BEGIN = new boolean[256];

    static {
        MESSAGES.forEach(message -> MAY_BEGIN[message.text()[0] & 0xff] = true);
    }

    private final List<Counter> counters;
    private final List<Followed> files = new ArrayList<>();
    private final Map<LogFigure, Integer> errors = new EnumMap<>(LogFigure.class);

    @SuppressWarnings("ArrayRecordComponent") // a constant
    private record Message(LogFigure figure, byte[] text) {
        /// Most positions differ in the first byte, so this loop is quicker than a library call.
        boolean isAt(int at, byte[] bytes) {
            if (at + text.length > bytes.length) {
                return false;
            }
            for (int i = 0; i < text.length; i++) {
                if (bytes[at + i] != text[i]) {
                    return false;
                }
            }
            return true;
        }
    }

    private static Message message(LogFigure figure, String text) {
        return new Message(figure, KernelText.key(text));
    }

    /// @param path the service's log
    /// @param from where the output of this start begins
    LogReader(End end, String service, File path, long from) {
        this(end, service, path.getPath());
        follow(path, from);
    }

    private LogReader(End end, String service, String source) {
        counters =
                Stream.of(LogFigure.values())
                        .map(figure -> figure.of(service).at(end, source))
                        .toList();
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
            file.readNew(errors);
        }
        int at = from;
        for (LogFigure figure : LogFigure.values()) {
            values[at++] = files.isEmpty() ? Double.NaN : errors.getOrDefault(figure, 0);
        }
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

        /// Adds the errors that begin in the new part of the file.
        void readNew(Map<LogFigure, Integer> errors) {
            try {
                long length = file.length();
                if (length <= read) {
                    return;
                }
                long from = Math.max(length - BYTES_MAX, Math.max(counted, read - OVERLAP));
                bytes = new byte[(int) (length - from)];
                file.seek(from);
                file.readFully(bytes);
                read = length;
                count(from, errors);
            } catch (IOException e) {
                // The file shrank meanwhile.
            }
        }

        private void count(long from, Map<LogFigure, Integer> errors) {
            for (int i = 0; i < bytes.length; i++) {
                Message found = MAY_BEGIN[bytes[i] & 0xff] ? messageAt(i) : null;
                if (found != null) {
                    errors.merge(found.figure(), 1, Integer::sum);
                    counted = from + i + found.text().length;
                }
            }
        }

        private @Nullable Message messageAt(int at) {
            for (Message message : MESSAGES) {
                if (message.isAt(at, bytes)) {
                    return message;
                }
            }
            return null;
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
