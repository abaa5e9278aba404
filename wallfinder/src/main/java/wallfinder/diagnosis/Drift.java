package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.observation.Caveat;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.Figure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unit;

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

    /// A bucket has a first and a last value.
    private static final int SAMPLES_PER_BUCKET_MIN = 2;

    /// Caches and pools fill in the first tenth.
    private static final double START_SHARE = 0.1;

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
        return !(load instanceof LoadOutcome.Driven driven
                        && driven.loop() instanceof LoadOutcome.Loop.Open open
                        && open.arrival() instanceof Arrival.Stages stages)
                || stages.stages().stream()
                        .allMatch(s ->
                                s.from() == s.to()
                                        && s.from() == stages.stages().getFirst().from());
    }

    /// The doubts that come of it.
    List<Caveat> caveats() {
        return found.stream()
                .map(one ->
                        Doubt.DRIFT.about(
                                one.counter().end().word() + ":" + one.counter().name(),
                                one.line(),
                                buckets,
                                seconds / buckets))
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
    private record Drifting(
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

    private static Optional<Drifting> figure(Series series, Observation observation) {
        return switch (series.counter().key()) {
            case LoadFigure.REQUESTS -> Optional.of(rate(series, "answers a second"));
            case LoadFigure.RESPONSE_MICROS_SUM -> latency(series, observation);
            case Key.Of(Figure figure, String program) -> ofProgram(series, figure, program);
            // Those of the whole host are everybody's.
            case KernelCounter counter when observation.facts().ownCounters() ->
                    ofKernel(series, counter, observation);
            case KernelCounter _, LoadFigure _, EndFigure _, Key.Derived _ -> Optional.empty();
        };
    }

    private static Optional<Drifting> ofKernel(
            Series series, KernelCounter counter, Observation observation) {
        String end = series.end().word();
        if (counter.equals(KernelCounter.TIME_WAIT)) {
            return Optional.of(level(series, "connections in TIME_WAIT at the " + end, 50, 0.1));
        }
        if (counter.equals(KernelCounter.TCP_IN_USE)) {
            return Optional.of(level(series, "TCP sockets in use at the " + end, 5, 0.02));
        }
        // A command tells its rate when it ends, and its packets tell it all the time.
        boolean traffic =
                counter.equals(KernelCounter.IN_SEGMENTS)
                        && observation.load() instanceof LoadOutcome.Command
                        && series.end() == End.CLIENT;
        return traffic
                ? Optional.of(rate(series, "segments a second received by the client"))
                : Optional.empty();
    }

    private static Optional<Drifting> ofProgram(Series series, Figure figure, String program) {
        return switch (figure) {
            case ProcessFigure.DESCRIPTORS ->
                    Optional.of(level(series, "descriptors of " + program, 5, 0));
            case ProcessFigure.THREADS ->
                    Optional.of(level(series, "threads of " + program, 4, 0.02));
            case ProcessFigure.RSS ->
                    Optional.of(level(series, "memory (RSS) of " + program, 2, 0.03));
            case JvmFigure.HEAP_USED ->
                    Optional.of(level(series, "heap after collections of " + program, 2, 0.03));
            case ProcessFigure _,
                    JvmFigure _,
                    LogFigure _,
                    CgroupFigure _,
                    ListenFigure _,
                    PortsFigure _ ->
                    Optional.empty();
        };
    }

    private static Drifting level(Series series, String told, double changeMin, double shareMin) {
        boolean bytes = series.counter().key().form().unit() == Unit.BYTES;
        return new Drifting(
                series.counter(),
                told,
                bytes ? "MB" : "",
                bytes ? EvidenceFigures.MEGABYTE : 1,
                changeMin,
                shareMin,
                buckets -> buckets.levels(series.values()));
    }

    private static Drifting rate(Series series, String told) {
        return new Drifting(
                series.counter(), told, "", 1, 0, 0.1, buckets -> buckets.rates(series.values()));
    }

    private static Optional<Drifting> latency(Series sum, Observation observation) {
        return observation
                .timeline()
                .find(LoadFigure.REQUESTS, sum.end())
                .map(requests ->
                        new Drifting(
                                sum.counter(),
                                "mean response time",
                                "ms",
                                1e3,
                                0,
                                0.1,
                                buckets -> buckets.ratios(sum.values(), requests.values())));
    }
}
