package wallfinder.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.ResponseFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.record.Rounded;

/// The response times of a trial over time, for the page's chart: for each interval p50, p99, and a
/// column of a heat map, whose cells are the buckets of [ResponseFigure].
final class PageTimes {
    /// The shares of an interval's answers from which a cell is darker.
    static final List<Double> SHARES = List.of(0.0, 0.001, 0.01, 0.05, 0.2);

    private static final Map<Key, Integer> BUCKETS = buckets();

    private final Timeline timeline;
    private final int[] at;
    private final int lowest;
    private final int highest;

    /// For each bucket from the lowest one on: its good answers until each sample.
    private final Map<Integer, double[]> totals = new HashMap<>();

    private PageTimes(Timeline timeline, int[] at) {
        this.timeline = timeline;
        this.at = at;
        timeline.all(ResponseFigure.COUNT, End.CLIENT).forEach(this::keep);
        lowest = totals.keySet().stream().mapToInt(Integer::intValue).min().orElse(0);
        highest = totals.keySet().stream().mapToInt(Integer::intValue).max().orElse(-1);
    }

    private static Map<Key, Integer> buckets() {
        Map<Key, Integer> buckets = new HashMap<>();
        for (int i = ResponseFigure.FIRST; i < ResponseFigure.END; i++) {
            buckets.put(ResponseFigure.of(i), i);
        }
        return buckets;
    }

    private void keep(Series series) {
        Integer bucket = BUCKETS.get(series.counter().key());
        if (bucket != null) {
            totals.put(bucket, series.values());
        }
    }

    /// @param at the samples between which answers are counted
    /// @return null if no response time was counted
    static @Nullable Map<String, @Nullable Object> of(Timeline timeline, int[] at) {
        PageTimes times = new PageTimes(timeline, at);
        return times.totals.isEmpty() ? null : times.json();
    }

    private Map<String, @Nullable Object> json() {
        List<@Nullable Object> instants = new ArrayList<>();
        List<@Nullable Object> p50 = new ArrayList<>();
        List<@Nullable Object> p99 = new ArrayList<>();
        List<String> cells = new ArrayList<>();
        for (int i = 1; i < at.length; i++) {
            double[] counts = counts(i);
            instants.add(Rounded.to(2, timeline.nanos()[at[i]] / 1e9));
            p50.add(Rounded.to(3, millis(percentile(counts, 0.5))));
            p99.add(Rounded.to(3, millis(percentile(counts, 0.99))));
            cells.add(column(counts));
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("t", instants);
        json.put("p50", p50);
        json.put("p99", p99);
        json.put("edges", edges());
        json.put("cells", cells);
        return json;
    }

    /// The good answers of an interval, by bucket from the lowest one on.
    private double[] counts(int interval) {
        double[] counts = new double[highest - lowest + 1];
        totals.forEach((bucket, values) -> {
            double growth = values[at[interval]] - values[at[interval - 1]];
            // The counts begin again when the measured time begins.
            counts[bucket - lowest] = growth > 0 ? growth : 0;
        });
        return counts;
    }

    /// Within a bucket the answers are taken to be spread evenly.
    private double percentile(double[] counts, double share) {
        double rank = share * Arrays.stream(counts).sum();
        double before = 0;
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0 && before + counts[i] >= rank) {
                return ResponseFigure.nanos(lowest + i + (rank - before) / counts[i]);
            }
            before += counts[i];
        }
        return Double.NaN;
    }

    private static double millis(double nanos) {
        return nanos / 1e6;
    }

    /// Where each bucket begins, and where the last one ends, in milliseconds.
    private List<@Nullable Object> edges() {
        List<@Nullable Object> edges = new ArrayList<>();
        for (int bucket = lowest; bucket <= highest + 1; bucket++) {
            edges.add(Rounded.to(4, millis(ResponseFigure.nanos(bucket))));
        }
        return edges;
    }

    /// A digit for each bucket, from the lowest one on: 0 without answers, 5 for the most.
    private static String column(double[] counts) {
        double all = Arrays.stream(counts).sum();
        StringBuilder column = new StringBuilder();
        for (double count : counts) {
            column.append(count > 0 ? darkness(count / all) : 0);
        }
        return column.toString();
    }

    /// From 1 for a few answers to 5 for many.
    static int darkness(double share) {
        return (int) SHARES.stream().filter(from -> share >= from).count();
    }
}
