package wallfinder.report;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.CapacityRecord;
import wallfinder.record.FitRecord;
import wallfinder.record.Harmless;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;

/// A file with a row for each run, in which programs such as Apache Otava look for changes.
public final class CsvLog {
    private static final String HEADER =
            "time,commit,branch,name,verdict,wall,rate,p50_ms,p99_ms,p999_ms,max_ms,error_share,"
                    + "memory_limit_mib";

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MIB = 1 << 20;

    private CsvLog() {}

    /// What was measured: a commit and its branch; empty if unknown.
    public record Revision(String commit, String branch) {}

    /// @throws UsageException if the file has another header
    public static void check(Path path) throws IOException {
        if (Files.isRegularFile(path) && Files.size(path) > 0) {
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                checkHeader(path, file);
            }
        }
    }

    /// Appends a row. A run without a usable figure gets none, because a series with a false point
    /// shows false changes.
    ///
    /// @return why there is no row, or null
    public static @Nullable String append(
            RunRecord run, Outcome outcome, Revision revision, Path path) throws IOException {
        switch (outcome) {
            case INVALID -> {
                return "the result is invalid";
            }
            case INTERRUPTED, FAILED -> {
                return "the run did not end in order";
            }
            case DONE, MISSED -> {}
        }
        String row = row(run, revision);
        if (row == null) {
            return "nothing was measured that a row could contain";
        }
        StandardOpenOption[] how = {
            StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE
        };
        try (FileChannel file = FileChannel.open(path, how);
                FileLock _ = file.lock()) {
            long end = file.size();
            if (end > 0) {
                checkHeader(path, file);
            }
            String before = end == 0 ? HEADER + "\n" : endsLine(file, end) ? "" : "\n";
            write(file, end, before + row + "\n");
        }
        return null;
    }

    /// All of the text, or nothing of it.
    private static void write(FileChannel file, long end, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        try {
            file.position(end);
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        } catch (IOException e) {
            truncate(file, end, e);
            throw e;
        }
    }

    private static void truncate(FileChannel file, long end, IOException cause) {
        try {
            file.truncate(end);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static boolean endsLine(FileChannel file, long end) throws IOException {
        ByteBuffer last = ByteBuffer.allocate(1);
        return file.read(last, end - 1) == 1 && last.get(0) == '\n';
    }

    private static void checkHeader(Path path, FileChannel file) throws IOException {
        ByteBuffer begin = ByteBuffer.allocate(HEADER.length() + 2);
        while (begin.hasRemaining() && file.read(begin, begin.position()) > 0) {}
        String first =
                new String(begin.array(), 0, begin.position(), StandardCharsets.UTF_8)
                        .split("\\R", -1)[0];
        if (!first.equals(HEADER)) {
            throw new UsageException(
                    "--csv " + path + " cannot be extended",
                    "it has other columns than this version of Wallfinder writes",
                    "name another file; its first line will be " + HEADER);
        }
    }

    private static @Nullable String row(RunRecord run, Revision revision) {
        Finding main = Finding.main(run);
        String limit = smallest(run.fit());
        if (main == null ? limit.isEmpty() : !isPoint(main, run)) {
            return null;
        }
        double none = Double.NaN;
        return List.of(
                        run.startedAt(),
                        revision.commit(),
                        revision.branch(),
                        run.name(),
                        main == null ? "" : main.verdict(),
                        main == null ? "" : main.wall(),
                        figure(main == null ? none : main.perSecond()),
                        millis(main == null ? none : main.p50Nanos()),
                        millis(main == null ? none : main.p99Nanos()),
                        millis(main == null ? none : main.p999Nanos()),
                        millis(main == null ? none : main.maxNanos()),
                        figure(main == null ? none : main.errorShare()),
                        limit)
                .stream()
                .map(CsvLog::field)
                .collect(Collectors.joining(","));
    }

    /// Held connections may carry no messages. A lower bound of a capacity is no capacity.
    private static boolean isPoint(Finding main, RunRecord run) {
        CapacityRecord capacity = run.capacity();
        return capacity == null
                ? !Double.isNaN(main.p99Nanos())
                        || run.trials().getLast().observation().load() instanceof LoadOutcome.Held
                : !capacity.isLowerBound();
    }

    private static String smallest(@Nullable FitRecord fit) {
        FitRecord.Candidate first = fit == null ? null : fit.candidates().getFirst();
        FitRecord.Limit limit =
                first == null ? null : first.warm() != null ? first.warm() : first.cold();
        return limit == null || !limit.found() ? "" : figure(limit.bytes() / MIB);
    }

    private static String figure(double value) {
        return Finding.plain(value, "");
    }

    private static String millis(double nanos) {
        return figure(nanos / NANOS_PER_MILLI);
    }

    /// RFC 4180, on one line.
    private static String field(String raw) {
        String line = Harmless.line(raw);
        boolean plain = line.indexOf(',') < 0 && line.indexOf('"') < 0;
        return plain ? line : '"' + line.replace("\"", "\"\"") + '"';
    }
}
