package wallfinder.record;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import wallfinder.record.RunRecord.Trial;

/// Writes `latency.hlog` in HdrHistogram's log format: for each trial one histogram of its response
/// times in nanoseconds, tagged with the trial's name.
public final class LatencyLog {
    /// The log shows each interval's maximum in this unit, by the format's custom milliseconds.
    private static final double NANOS_IN_MILLI = 1e6;

    private LatencyLog() {}

    /// Writes a file that appears whole or not at all.
    public static void write(RunRecord run, Path path) throws IOException {
        WholeFile.write(
                path,
                out -> {
                    PrintStream print = new PrintStream(out, false, StandardCharsets.UTF_8);
                    log(run, print);
                    print.flush();
                    // A print stream hides its failures, such as a full disk.
                    if (print.checkError()) {
                        throw new IOException("could not write all of " + path);
                    }
                });
    }

    /// The start times of trials are not recorded, so the log puts the trials one after the other.
    private static void log(RunRecord run, PrintStream print) {
        HistogramLogWriter writer = new HistogramLogWriter(print);
        writer.outputComment("[Response times in nanoseconds, a tag for each trial, end to end]");
        writer.outputLogFormatVersion();
        long millis = startMillis(run.startedAt());
        writer.outputStartTime(millis);
        writer.outputBaseTime(millis);
        writer.outputLegend();
        double start = 0;
        for (Trial trial : run.trials()) {
            Histogram response = trial.observation().load().responseNanos().copy();
            response.setTag(tag(trial.name()));
            double end = start + trial.observation().load().seconds();
            writer.outputIntervalHistogram(start, end, response, NANOS_IN_MILLI);
            start = end;
        }
    }

    /// The format does not quote.
    private static String tag(String name) {
        return name.replaceAll("[,\\s]", "_");
    }

    private static long startMillis(String startedAt) {
        try {
            return Instant.parse(startedAt).toEpochMilli();
        } catch (DateTimeParseException e) {
            throw new IllegalStateException("a run's start is not ISO 8601: " + startedAt, e);
        }
    }
}
