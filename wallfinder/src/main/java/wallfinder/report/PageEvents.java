package wallfinder.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.FailureFigure;
import wallfinder.observation.Figure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.ShaperFigure;
import wallfinder.observation.Timeline;

/// What happened at which time, on the page: failed requests by kind, and events of both ends.
final class PageEvents {
    /// A figure of one JVM of several, which the service's figure already has.
    private static final String ONE_OF_SEVERAL = "#";

    private static final Map<String, Function<Timeline, Stream<Series>>> EVENTS = events();

    private final Timeline timeline;
    private final int[] at;

    /// @param at the samples between which events are counted
    PageEvents(Timeline timeline, int[] at) {
        this.timeline = timeline;
        this.at = at;
    }

    private static Map<String, Function<Timeline, Stream<Series>>> events() {
        Map<String, Function<Timeline, Stream<Series>>> events = new LinkedHashMap<>();
        events.put("collections", server(JvmFigure.PAUSES));
        events.put("full collections", server(JvmFigure.FULL_COLLECTIONS));
        events.put("allocation stalls", server(JvmFigure.ALLOCATION_STALLS));
        events.put("throttled periods", server(CgroupFigure.THROTTLED_PERIODS));
        events.put("kills for memory", server(CgroupFigure.OOM_KILLS));
        events.put("processes that ended", server(ProcessFigure.ENDED));
        events.put("dropped handshakes", server(KernelCounter.LISTEN_OVERFLOWS));
        events.put("repeated SYNs", one(KernelCounter.SYN_RETRANS, End.CLIENT));
        events.put("retransmits of the server", server(KernelCounter.RETRANSMITS));
        events.put("packets dropped by a shaper", all(ShaperFigure.DROPS));
        events.put("packets dropped for want of CPU", server(EndFigure.SOFTNET_DROPPED));
        events.put("packets dropped by connection tracking", server(EndFigure.CONNTRACK_DROPS));
        return events;
    }

    private static Function<Timeline, Stream<Series>> server(Figure figure) {
        return timeline ->
                timeline.all(figure, End.SERVER)
                        .filter(series -> !series.subject().contains(ONE_OF_SEVERAL));
    }

    private static Function<Timeline, Stream<Series>> all(Figure figure) {
        return timeline -> timeline.all(figure);
    }

    private static Function<Timeline, Stream<Series>> server(Key key) {
        return one(key, End.SERVER);
    }

    private static Function<Timeline, Stream<Series>> one(Key key, End end) {
        return timeline -> timeline.find(key, end).stream();
    }

    /// The failures a second of each kind that occurred.
    Map<String, double[]> failures(double[] seconds) {
        Map<String, double[]> failures = new LinkedHashMap<>();
        timeline.all(FailureFigure.COUNT, End.CLIENT)
                .forEach(series -> {
                    double[] counts = growths(series);
                    if (any(counts)) {
                        for (int i = 0; i < counts.length; i++) {
                            counts[i] /= Math.max(1e-9, seconds[i + 1] - seconds[i]);
                        }
                        failures.put(series.subject(), counts);
                    }
                });
        return failures;
    }

    /// For each kind of event that occurred: the intervals in which it did, each with its count.
    Map<String, List<List<Long>>> marks() {
        Map<String, List<List<Long>>> marks = new LinkedHashMap<>();
        EVENTS.forEach((name, which) -> {
            double[] counts = new double[Math.max(0, at.length - 1)];
            which.apply(timeline).map(this::growths).forEach(each -> add(counts, each));
            if (any(counts)) {
                marks.put(name, marks(counts));
            }
        });
        return marks;
    }

    private static List<List<Long>> marks(double[] counts) {
        List<List<Long>> marks = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                marks.add(List.of((long) i, Math.round(counts[i])));
            }
        }
        return marks;
    }

    private static void add(double[] sums, double[] more) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] += more[i];
        }
    }

    private static boolean any(double[] counts) {
        for (double count : counts) {
            if (count > 0) {
                return true;
            }
        }
        return false;
    }

    /// The growth in each interval. A counter that was not read at an instant grows later.
    private double[] growths(Series series) {
        double[] growths = new double[Math.max(0, at.length - 1)];
        double before = Double.NaN;
        for (int i = 0; i < at.length; i++) {
            double value = series.values()[at[i]];
            if (i > 0 && value > before) {
                growths[i - 1] = value - before;
            }
            before = Double.isNaN(value) ? before : value;
        }
        return growths;
    }
}
