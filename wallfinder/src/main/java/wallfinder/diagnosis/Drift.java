package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.observation.Caveat;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Names;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// What a long measurement shows of figures that go on growing or falling under a steady load: a
/// leak, a rate that gives way.
///
/// @param seconds that were looked at: the first tenth of the measurement is its start
/// @param buckets into which they were divided
/// @param found what drifts; empty if nothing does
public record Drift(double seconds, int buckets, List<Found> found) {
    /// In a shorter measurement all that grows may be what starts.
    public static final double SECONDS_MIN = 600;

    /// More would show no more, and takes the square of the time.
    private static final int BUCKETS_MAX = 120;

    private static final int SAMPLES_PER_BUCKET_MIN = 2;
    private static final double START_SHARE = 0.1;
    private static final double MEGABYTE = 1 << 20;

    public Drift {
        found = List.copyOf(found);
    }

    /// One figure that drifts.
    ///
    /// @param counter of which it is made
    /// @param told in words: `descriptors of web`
    /// @param unit of the figures, such as `MB`; empty where they are counts
    /// @param perHour by how much it changes
    /// @param from where it began
    /// @param to where it ended
    public record Found(
            Counter counter, String told, String unit, double perHour, double from, double to) {
        /// `descriptors of web +12.3 an hour (1,020 -> 1,118)`.
        public String line() {
            String unitTold = unit.isEmpty() ? "" : " " + unit;
            return "%s %s%s%s an hour (%s -> %s%s)"
                    .formatted(
                            told,
                            perHour < 0 ? "-" : "+",
                            figure(Math.abs(perHour)),
                            unitTold,
                            figure(from),
                            figure(to),
                            unitTold);
        }

        private static String figure(double value) {
            return "%,.*f"
                    .replace("*", value < 9.995 ? "2" : value < 999.5 ? "1" : "0")
                    .formatted(value);
        }
    }

    /// @return empty if it was too short to tell
    public static Optional<Drift> of(Observation observation) {
        return of(observation, SECONDS_MIN);
    }

    /// @param secondsMin a shorter one tells nothing
    public static Optional<Drift> of(Observation observation, double secondsMin) {
        Timeline timeline = observation.timeline();
        long[] nanos = timeline.nanos();
        double watched = nanos.length < 2 ? 0 : (nanos[nanos.length - 1] - nanos[0]) / 1e9;
        Buckets buckets = Buckets.of(nanos);
        if (watched < secondsMin
                || buckets.count() < Trend.VALUES_MIN
                || !steady(observation.load())) {
            return Optional.empty();
        }
        List<Found> found = new ArrayList<>();
        for (Series series : timeline.series()) {
            figure(series, observation)
                    .flatMap(figure -> figure.found(buckets))
                    .ifPresent(found::add);
        }
        return Optional.of(new Drift(buckets.seconds(), buckets.count(), found));
    }

    /// A load that changes by plan makes all else change.
    private static boolean steady(LoadOutcome load) {
        return load.openLoop() == null
                || !(load.openLoop().arrival() instanceof Arrival.Stages stages)
                || stages.stages().stream()
                        .allMatch(s ->
                                s.from() == s.to()
                                        && s.from() == stages.stages().getFirst().from());
    }

    /// The doubts that come of it.
    List<Caveat> caveats() {
        return found.stream()
                .map(one ->
                        new Caveat(
                                "drift:%s:%s"
                                        .formatted(
                                                one.counter().end().word(), one.counter().name()),
                                "%s, over %d buckets of %.0f s: a longer run would not find what this one did"
                                        .formatted(one.line(), buckets, seconds / buckets)))
                .toList();
    }

    /// Equal parts of the time after the start.
    ///
    /// @param bounds the first instant of each bucket, and the one behind the last
    @SuppressWarnings("ArrayRecordComponent") // read-only, never compared
    private record Buckets(long[] nanos, int[] bounds) {
        static Buckets of(long[] nanos) {
            int first = (int) Math.ceil(nanos.length * START_SHARE);
            int count = Math.min(BUCKETS_MAX, (nanos.length - first) / SAMPLES_PER_BUCKET_MIN);
            int[] bounds = new int[Math.max(0, count) + 1];
            for (int i = 0; i < bounds.length && count > 0; i++) {
                bounds[i] = first + (int) ((long) (nanos.length - first) * i / count);
            }
            return new Buckets(nanos, bounds);
        }

        int count() {
            return bounds.length - 1;
        }

        double seconds() {
            return (nanos[bounds[count()] - 1] - nanos[bounds[0]]) / 1e9;
        }

        /// The middle of what was read in each; empty if there is nothing in one of them, as after
        /// the end of a program.
        double @Nullable [] levels(double[] values) {
            double[] levels = new double[count()];
            for (int i = 0; i < levels.length; i++) {
                double[] read =
                        Arrays.stream(values, bounds[i], bounds[i + 1])
                                .filter(value -> !Double.isNaN(value))
                                .toArray();
                if (read.length == 0) {
                    return null;
                }
                levels[i] = Trend.median(read);
            }
            return levels;
        }

        /// By how much it grew in each, for each unit of what grew beside it.
        double @Nullable [] ratios(double[] values, double[] beside) {
            double[] ratios = new double[count()];
            for (int i = 0; i < ratios.length; i++) {
                int from = bounds[i];
                int to = Math.min(bounds[i + 1], values.length - 1);
                double ratio = (values[to] - values[from]) / (beside[to] - beside[from]);
                if (!Double.isFinite(ratio)) {
                    return null;
                }
                ratios[i] = ratio;
            }
            return ratios;
        }

        double @Nullable [] rates(double[] values) {
            double[] seconds = Arrays.stream(nanos).mapToDouble(n -> n / 1e9).toArray();
            return ratios(values, seconds);
        }
    }

    /// What is looked at.
    ///
    /// @param scale divides the values
    /// @param changeMin a smaller change is not worth telling, in the unit told
    /// @param shareMin nor is a smaller share of where it began
    private record Figure(
            Counter counter,
            String told,
            String unit,
            double scale,
            double changeMin,
            double shareMin,
            Function<Buckets, double @Nullable []> values) {
        Optional<Found> found(Buckets buckets) {
            double[] values = this.values.apply(buckets);
            if (values == null) {
                return Optional.empty();
            }
            return Trend.of(values)
                    .filter(t -> Math.abs(t.to() - t.from()) >= changeMin * scale)
                    .filter(t ->
                            Math.abs(t.to() - t.from())
                                    >= shareMin * Math.max(Math.abs(t.from()), Math.abs(t.to())))
                    .map(t -> found(t, buckets));
        }

        private Found found(Trend trend, Buckets buckets) {
            double hours = buckets.seconds() / buckets.count() / 3600;
            return new Found(
                    counter,
                    told,
                    unit,
                    trend.slope() / hours / scale,
                    Math.max(0, trend.from() / scale),
                    Math.max(0, trend.to() / scale));
        }
    }

    private static Optional<Figure> figure(Series series, Observation observation) {
        String name = series.counter().name();
        if (name.equals(Names.load("requests"))) {
            return Optional.of(rate(series, "answers a second"));
        }
        if (name.equals(Names.load("responseMicrosSum"))) {
            return latency(series, observation);
        }
        if (name.startsWith("process[") || name.startsWith("jvm[")) {
            return ofProgram(series, name, Figures.inBrackets(series));
        }
        // Those of the whole host are everybody's.
        return observation.facts().ownCounters()
                ? ofKernel(series, name, observation)
                : Optional.empty();
    }

    private static Optional<Figure> ofKernel(Series series, String name, Observation observation) {
        String end = series.counter().end().word();
        if (name.equals(Names.TIME_WAIT)) {
            return Optional.of(level(series, "connections in TIME_WAIT at the " + end, 50, 0.1));
        }
        if (name.equals(Names.TCP_IN_USE)) {
            return Optional.of(level(series, "TCP sockets in use at the " + end, 5, 0.02));
        }
        // A command tells its rate when it ends, and its packets tell it all the time.
        boolean traffic =
                name.equals(Names.IN_SEGMENTS)
                        && observation.load().ofCommand()
                        && series.counter().end() == End.CLIENT;
        return traffic
                ? Optional.of(rate(series, "segments a second received by the client"))
                : Optional.empty();
    }

    private static Optional<Figure> ofProgram(Series series, String name, String program) {
        String what = name.substring(name.lastIndexOf(']') + 2);
        return switch (what) {
            case "descriptors" -> Optional.of(level(series, "descriptors of " + program, 5, 0));
            case "threads" -> Optional.of(level(series, "threads of " + program, 4, 0.02));
            case "rss" -> Optional.of(megabytes(series, "memory (RSS) of " + program));
            case "heapUsed" ->
                    Optional.of(megabytes(series, "heap after collections of " + program));
            default -> Optional.empty();
        };
    }

    private static Figure level(Series series, String told, double changeMin, double shareMin) {
        return new Figure(
                series.counter(),
                told,
                "",
                1,
                changeMin,
                shareMin,
                buckets -> buckets.levels(series.values()));
    }

    private static Figure megabytes(Series series, String told) {
        return new Figure(
                series.counter(),
                told,
                "MB",
                MEGABYTE,
                2,
                0.03,
                buckets -> buckets.levels(series.values()));
    }

    private static Figure rate(Series series, String told) {
        return new Figure(
                series.counter(), told, "", 1, 0, 0.1, buckets -> buckets.rates(series.values()));
    }

    private static Optional<Figure> latency(Series sum, Observation observation) {
        return observation
                .timeline()
                .find(Names.load("requests"), sum.counter().end())
                .map(requests ->
                        new Figure(
                                sum.counter(),
                                "mean response time",
                                "ms",
                                1e3,
                                0,
                                0.1,
                                buckets -> buckets.ratios(sum.values(), requests.values())));
    }
}
