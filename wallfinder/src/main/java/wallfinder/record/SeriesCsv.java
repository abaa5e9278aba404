package wallfinder.record;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord.Trial;

/// Writes `series.csv` (RFC 4180): a row for each sample, a column for each counter that changed in
/// any trial or that a judgement rests on. A field is empty where a counter was not read.
public final class SeriesCsv {
    private static final String LINE_END = "\r\n";

    private SeriesCsv() {}

    /// Writes a file that appears whole or not at all.
    public static void write(RunRecord run, Path path) throws IOException {
        List<String> columns = List.copyOf(columns(run));
        WholeFile.write(
                path,
                out -> {
                    Writer writer =
                            new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
                    header(columns, writer);
                    for (Trial trial : run.trials()) {
                        rows(trial, columns, writer);
                    }
                    writer.flush();
                });
    }

    private static Set<String> columns(RunRecord run) {
        Set<String> columns = new TreeSet<>();
        for (Trial trial : run.trials()) {
            Set<Series> cited = new HashSet<>(CitedSeries.of(trial));
            for (Series series : trial.observation().timeline().series()) {
                if (changed(series) || cited.contains(series)) {
                    columns.add(CitedSeries.label(series.counter()));
                }
            }
        }
        return columns;
    }

    private static boolean changed(Series series) {
        double first = series.first();
        return Arrays.stream(series.values())
                .anyMatch(value -> !Double.isNaN(value) && value != first);
    }

    private static void header(List<String> columns, Writer out) throws IOException {
        out.write("trial,seconds");
        for (String column : columns) {
            out.write("," + field(column));
        }
        out.write(LINE_END);
    }

    private static void rows(Trial trial, List<String> columns, Writer out) throws IOException {
        Timeline timeline = trial.observation().timeline();
        Map<String, double[]> values = new HashMap<>();
        timeline.series().forEach(s -> values.put(CitedSeries.label(s.counter()), s.values()));
        for (int sample = 0; sample < timeline.nanos().length; sample++) {
            out.write(field(trial.name()));
            out.write("," + Rounded.whole(timeline.nanos()[sample] / 1e9));
            for (String column : columns) {
                double[] series = values.get(column);
                out.write(',');
                out.write(series == null ? "" : Rounded.whole(series[sample]));
            }
            out.write(LINE_END);
        }
    }

    private static String field(String text) {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
