package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import wallfinder.experiment.WallId;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.ShaperFigure;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unit;

/// How much of a limit was used, at most or on average.
///
/// @param limit what is limited, such as `accept queue 8080`
/// @param wall the wall that a service meets when the limit is full
/// @param most how much there may be
/// @param source where the used amount is read
public record Fullness(
        String limit, End end, WallId wall, double used, double most, Unit unit, String source) {
    /// A level and its limit. The largest sample counts.
    private record Level(String name, WallId wall, Figure used, Figure limit) {}

    /// An amount and how much there may be in a second.
    private record Rate(String name, Figure amount, Figure perSecond) {}

    private static final List<Level> LEVELS =
            List.of(
                    new Level(
                            "accept queue",
                            WallId.ACCEPT_QUEUE,
                            ListenFigure.QUEUE,
                            ListenFigure.LIMIT),
                    new Level(
                            "descriptors",
                            WallId.FILE_DESCRIPTORS,
                            ProcessFigure.DESCRIPTORS,
                            ProcessFigure.DESCRIPTOR_LIMIT),
                    new Level("ports", WallId.EPHEMERAL_PORTS, PortsFigure.USED, PortsFigure.LIMIT),
                    new Level(
                            "memory",
                            WallId.MEMORY_LIMIT,
                            CgroupFigure.MEMORY,
                            CgroupFigure.MEMORY_LIMIT),
                    new Level(
                            "tasks",
                            WallId.THREAD_LIMIT,
                            CgroupFigure.TASKS,
                            CgroupFigure.TASK_LIMIT),
                    new Level(
                            "TCP memory",
                            WallId.TCP_MEMORY,
                            CgroupFigure.TCP_MEMORY,
                            CgroupFigure.TCP_MEMORY_LIMIT),
                    new Level("heap", WallId.HEAP, JvmFigure.HEAP_USED, JvmFigure.HEAP_MAX),
                    new Level(
                            "user's tasks",
                            WallId.THREAD_LIMIT,
                            ProcessFigure.USER_TASKS,
                            ProcessFigure.USER_TASK_LIMIT),
                    new Level(
                            "memory maps",
                            WallId.THREAD_LIMIT,
                            ProcessFigure.MAPS,
                            ProcessFigure.MAP_LIMIT),
                    new Level(
                            "connections to",
                            WallId.CLIENT_CONNECTIONS,
                            DependencyFigure.BUSY,
                            DependencyFigure.CONNECTIONS));

    private static final List<Rate> RATES =
            List.of(
                    new Rate("link out", LinkFigure.SENT, LinkFigure.SPEED),
                    new Rate("link in", LinkFigure.RECEIVED, LinkFigure.SPEED),
                    new Rate("shaper", ShaperFigure.SENT, ShaperFigure.RATE));

    /// Of the limit, 0 to 1; rarely a little more, because amount and time are read one after the
    /// other.
    public double share() {
        return used / most;
    }

    /// The limits of both ends, the fullest first.
    public static List<Fullness> of(Observation observation) {
        Timeline timeline = observation.timeline();
        List<Series> known =
                timeline.series().stream()
                        .filter(one ->
                                !one.counter().key().isOf(ProcessFigure.BUSIEST_THREAD)
                                        || !CpuUse.mayHideFullThread(observation, one))
                        .toList();
        return of(new Timeline(timeline.nanos(), known), observation.facts().serverCpus());
    }

    /// @param serverCpus how many CPUs the services may run on
    public static List<Fullness> of(Timeline timeline, int serverCpus) {
        List<Fullness> all = new ArrayList<>();
        double seconds = seconds(timeline);
        for (Level level : LEVELS) {
            boolean queue = level.used() == ListenFigure.QUEUE;
            add(level, queue ? one -> queued(one, timeline) : Series::max, timeline, all);
        }
        for (Rate rate : RATES) {
            ToDoubleFunction<Series> perSecond = amount -> amount.growth() / seconds;
            Level level = new Level(rate.name(), WallId.BANDWIDTH, rate.amount(), rate.perSecond());
            add(level, perSecond, timeline, all);
        }
        timeline.all(ProcessFigure.BUSIEST_THREAD)
                .forEach(busiest ->
                        all.add(
                                cpu(
                                        named("one thread", busiest),
                                        busiest,
                                        busiest.growth() / seconds,
                                        1)));
        List<Series> services =
                timeline.all(ProcessFigure.CPU, End.SERVER)
                        .filter(one -> Double.isFinite(one.growth()))
                        .toList();
        double cpu = services.stream().mapToDouble(Series::growth).sum();
        services.stream()
                .findFirst()
                .ifPresent(first -> all.add(cpu("CPU", first, cpu / seconds, serverCpus)));
        all.removeIf(one -> !Double.isFinite(one.share()));
        all.sort(Comparator.comparingDouble((Fullness one) -> -one.share()));
        return List.copyOf(all);
    }

    /// If the kernel counted overflows and this listener dropped handshakes, its queue was full,
    /// perhaps only between two samples.
    private static double queued(Series queue, Timeline timeline) {
        boolean overflowed =
                timeline.beside(queue, ListenFigure.DROPS).map(Series::growth).orElse(0.) > 0
                        && timeline.growth(KernelCounter.LISTEN_OVERFLOWS, queue.end()) > 0;
        double limit =
                timeline.beside(queue, ListenFigure.LIMIT).map(Series::last).orElse(Double.NaN);
        return overflowed ? Math.max(queue.max(), limit) : queue.max();
    }

    private static Fullness cpu(String name, Series series, double used, int most) {
        return new Fullness(
                name, series.end(), WallId.CPU, used, most, Unit.CPUS, series.counter().source());
    }

    /// Adds the share of each subject of a figure whose limit is known.
    private static void add(
            Level level, ToDoubleFunction<Series> used, Timeline timeline, List<Fullness> all) {
        timeline.all(level.used())
                .forEach(series -> {
                    double limit =
                            timeline.beside(series, level.limit())
                                    .map(Series::last)
                                    .orElse(Double.NaN);
                    all.add(
                            new Fullness(
                                    named(level.name(), series),
                                    series.end(),
                                    level.wall(),
                                    used.applyAsDouble(series),
                                    limit,
                                    series.counter().key().form().unit(),
                                    series.counter().source()));
                });
    }

    private static double seconds(Timeline timeline) {
        long[] nanos = timeline.nanos();
        return nanos.length == 0 ? Double.NaN : nanos[nanos.length - 1] / 1e9;
    }

    private static String named(String name, Series series) {
        String subject = series.subject();
        return subject.isEmpty() ? name : name + " " + subject;
    }
}
