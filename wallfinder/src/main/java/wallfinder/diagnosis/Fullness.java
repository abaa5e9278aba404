package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.ShaperFigure;
import wallfinder.observation.Timeline;

/// How much of a limit was used, at most or on average.
///
/// @param limit what is limited, such as `accept queue 8080`
/// @param share of the limit, 0 to 1; rarely a little more, because amount and time are read one
///   after the other
public record Fullness(String limit, End end, double share) {
    /// A level and its limit. The largest sample counts.
    private record Level(String name, Figure used, Figure limit) {}

    /// An amount and how much there may be in a second.
    private record Rate(String name, Figure amount, Figure perSecond) {}

    private static final List<Level> LEVELS =
            List.of(
                    new Level("accept queue", ListenFigure.QUEUE, ListenFigure.LIMIT),
                    new Level(
                            "descriptors",
                            ProcessFigure.DESCRIPTORS,
                            ProcessFigure.DESCRIPTOR_LIMIT),
                    new Level("ports", PortsFigure.USED, PortsFigure.LIMIT),
                    new Level("memory", CgroupFigure.MEMORY, CgroupFigure.MEMORY_LIMIT),
                    new Level("tasks", CgroupFigure.TASKS, CgroupFigure.TASK_LIMIT),
                    new Level("TCP memory", CgroupFigure.TCP_MEMORY, CgroupFigure.TCP_MEMORY_LIMIT),
                    new Level("heap", JvmFigure.HEAP_USED, JvmFigure.HEAP_MAX),
                    new Level(
                            "user's tasks",
                            ProcessFigure.USER_TASKS,
                            ProcessFigure.USER_TASK_LIMIT),
                    new Level("memory maps", ProcessFigure.MAPS, ProcessFigure.MAP_LIMIT),
                    new Level(
                            "connections to", DependencyFigure.BUSY, DependencyFigure.CONNECTIONS));

    private static final List<Rate> RATES =
            List.of(
                    new Rate("link out", LinkFigure.SENT, LinkFigure.SPEED),
                    new Rate("link in", LinkFigure.RECEIVED, LinkFigure.SPEED),
                    new Rate("shaper", ShaperFigure.SENT, ShaperFigure.RATE));

    /// The limits of both ends, the fullest first.
    public static List<Fullness> of(Observation observation) {
        List<Fullness> all = new ArrayList<>();
        Timeline timeline = observation.timeline();
        double seconds = seconds(timeline);
        for (Level level : LEVELS) {
            add(level.name(), level.used(), level.limit(), Series::max, timeline, all);
        }
        for (Rate rate : RATES) {
            ToDoubleFunction<Series> perSecond = amount -> amount.growth() / seconds;
            add(rate.name(), rate.amount(), rate.perSecond(), perSecond, timeline, all);
        }
        timeline.all(ProcessFigure.BUSIEST_THREAD)
                .forEach(busiest -> all.add(of("one thread", busiest, busiest.growth() / seconds)));
        double cpu =
                timeline.all(ProcessFigure.CPU, End.SERVER)
                        .mapToDouble(Series::growth)
                        .filter(Double::isFinite)
                        .sum();
        int cpus = observation.facts().serverCpus();
        all.add(new Fullness("CPU", End.SERVER, cpu / seconds / cpus));
        all.removeIf(one -> !Double.isFinite(one.share()));
        all.sort(Comparator.comparingDouble((Fullness one) -> -one.share()));
        return List.copyOf(all);
    }

    /// Adds the share of each subject of a figure whose limit is known.
    private static void add(
            String name,
            Figure figure,
            Figure most,
            ToDoubleFunction<Series> used,
            Timeline timeline,
            List<Fullness> all) {
        timeline.all(figure)
                .forEach(series -> {
                    double limit =
                            timeline.beside(series, most).map(Series::last).orElse(Double.NaN);
                    all.add(of(name, series, used.applyAsDouble(series) / limit));
                });
    }

    private static double seconds(Timeline timeline) {
        long[] nanos = timeline.nanos();
        return nanos.length == 0 ? Double.NaN : nanos[nanos.length - 1] / 1e9;
    }

    private static Fullness of(String name, Series series, double share) {
        String subject = series.subject();
        return new Fullness(subject.isEmpty() ? name : name + " " + subject, series.end(), share);
    }
}
