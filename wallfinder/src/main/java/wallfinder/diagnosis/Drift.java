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
import wallfinder.observation.DependencyFigure;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.FailureFigure;
import wallfinder.observation.Figure;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.LinkFigure;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LogFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.PortsFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Quantile;
import wallfinder.observation.ResponseFigure;
import wallfinder.observation.SendFigure;
import wallfinder.observation.Series;
import wallfinder.observation.ShaperFigure;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unit;
import wallfinder.observation.WaitFigure;

/// The figures that keep growing or falling during a long measurement under a steady load.
///
/// @param seconds the span that was examined: all but the first tenth, which is the start
public record Drift(double seconds, int buckets, List<Found> found) {
    /// In a shorter measurement, all growth may belong to the start.
    public static final double SECONDS_MIN = 600;

    /// More buckets do not show more, and the computing time grows with their square.
    private static final int BUCKETS_MAX = 120;

    /// Each bucket needs a first and a last value.
    private static final int SAMPLES_PER_BUCKET_MIN = 2;

    /// Caches and pools fill in the first tenth.
    private static final double START_SHARE = 0.1;

    public Drift {
        found = List.copyOf(found);
    }

    /// One figure that drifts.
    ///
    /// @param subject such as `descriptors of web`
    /// @param unit such as `MB`; empty for counts
    public record Found(
            Counter counter, String subject, String unit, double perHour, double from, double to) {
        /// `descriptors of web +12.3 an hour (1,020 -> 1,118)`.
        public String line() {
            String suffix = unit.isEmpty() ? "" : " " + unit;
            return "%s %s%s%s an hour (%s -> %s%s)"
                    .formatted(
                            subject,
                            perHour < 0 ? "-" : "+",
                            figure(Math.abs(perHour)),
                            suffix,
                            figure(from),
                            figure(to),
                            suffix);
        }

        private static String figure(double value) {
            return "%,.*f"
                    .replace("*", value < 9.995 ? "2" : value < 999.5 ? "1" : "0")
                    .formatted(value);
        }
    }

    /// @return empty if the measurement is too short
    public static Optional<Drift> of(Observation observation) {
        return of(observation, SECONDS_MIN);
    }

    /// @param secondsMin the shortest measurement that shows a drift
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

    /// If the load changes, everything else changes with it.
    private static boolean steady(LoadOutcome load) {
        return !(load instanceof LoadOutcome.Driven driven
                        && driven.loop() instanceof LoadOutcome.Loop.Open open
                        && open.arrival() instanceof Arrival.Stages stages)
                || stages.stages().stream()
                        .allMatch(s ->
                                s.from() == s.to()
                                        && s.from() == stages.stages().getFirst().from());
    }

    /// A doubt for each figure that drifts.
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
    /// @param bounds the first instant of each bucket, and the one after the last
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

        /// The median of each bucket; null if a bucket is empty, as after the end of a program.
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
                levels[i] = Quantile.median(read);
            }
            return levels;
        }

        /// The growth in each bucket, divided by the growth of another counter.
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

    /// A figure that may drift.
    ///
    /// @param scale divides the values
    /// @param changeMin a smaller change does not count, in `unit`
    /// @param shareMin a smaller share of the figure does not count
    private record Drifting(
            Counter counter,
            String subject,
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
                    subject,
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
            // The counters of a whole host belong to all of its programs.
            case KernelCounter counter when observation.facts().ownCounters(series.end()) ->
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
        // A command reports its rate when it ends; its packets show it all the time.
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
                    FailureFigure _,
                    ResponseFigure _,
                    CgroupFigure _,
                    ListenFigure _,
                    SendFigure _,
                    PortsFigure _,
                    DependencyFigure _,
                    LinkFigure _,
                    ShaperFigure _,
                    WaitFigure _ ->
                    Optional.empty();
        };
    }

    private static Drifting level(
            Series series, String subject, double changeMin, double shareMin) {
        boolean bytes = series.counter().key().form().unit() == Unit.BYTES;
        return new Drifting(
                series.counter(),
                subject,
                bytes ? "MB" : "",
                bytes ? EvidenceFigures.MEGABYTE : 1,
                changeMin,
                shareMin,
                buckets -> buckets.levels(series.values()));
    }

    private static Drifting rate(Series series, String subject) {
        return new Drifting(
                series.counter(),
                subject,
                "",
                1,
                0,
                0.1,
                buckets -> buckets.rates(series.values()));
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
