package wallfinder.diagnosis;

import java.util.Comparator;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Figure;
import wallfinder.observation.Key;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// Makes the evidence of walls from counters, levels and limits.
final class EvidenceFigures {
    /// Above this a level is near its limit: a quarter more of the same load reaches it.
    static final double NEAR_SHARE = 0.8;

    static final long MEGABYTE = 1 << 20;

    private static final Pattern WHOLE = Pattern.compile("\\d{1,18}");

    private EvidenceFigures() {}

    /// What the generator counted between the first and the last sample, as the kernel did. An open
    /// loop above the capacity sends what was due until its end after the last sample.
    ///
    /// @param whole if the samples have no such figure
    static long sampled(LoadFigure figure, long whole, Timeline timeline) {
        return timeline.find(figure, End.CLIENT).isEmpty()
                ? whole
                : (long) timeline.growth(figure, End.CLIENT);
    }

    static Evidence of(
            Series series,
            Basis basis,
            @Nullable Double before,
            @Nullable Double after,
            @Nullable Double limit,
            String says) {
        Counter counter = series.counter();
        return new Evidence(
                counter.key(), series.end(), basis, before, after, limit, counter.source(), says);
    }

    /// A counter that grew.
    static Evidence growth(Series series, String says) {
        return of(series, Basis.COUNTER, series.first(), series.last(), null, says);
    }

    /// A counter, if it grew.
    ///
    /// @param says makes a sentence of the growth
    static Optional<Evidence> grown(
            Observation observation, Key key, End end, DoubleFunction<String> says) {
        return observation
                .timeline()
                .find(key, end)
                .filter(s -> s.growth() > 0)
                .map(s -> growth(s, says.apply(s.growth())));
    }

    /// A level with its limit.
    static Evidence level(Series series, double limit, String says) {
        return of(series, Basis.LEVEL, series.first(), series.max(), limit, says);
    }

    /// The largest reading of a level.
    static Evidence largest(Series series, @Nullable Double limit, String says) {
        Double max = Double.isNaN(series.max()) ? null : series.max();
        return of(series, Basis.LEVEL, null, max, limit, says);
    }

    /// A limit that was in force.
    static Evidence limit(Series series, String says) {
        return of(series, Basis.SETTING, null, null, series.last(), says);
    }

    static Evidence seen(String name, End end, long value, String source, String says) {
        return new Evidence(
                new Key.Derived(name), end, Basis.LOAD, null, (double) value, null, source, says);
    }

    /// A figure of the load with its limit.
    static Evidence measured(String name, double value, double limit, String source, String says) {
        return new Evidence(
                new Key.Derived(name), End.CLIENT, Basis.LOAD, null, value, limit, source, says);
    }

    /// Connections that never got an answer.
    static Evidence unanswered(Observation observation, Symptoms symptoms) {
        return seen(
                "unanswered",
                End.CLIENT,
                symptoms.unanswered(),
                "generator",
                "%d of %d connections waited for an answer for most of the load, or got none"
                        .formatted(symptoms.unanswered(), observation.load().connections()));
    }

    /// Failed exchanges and their share of the time.
    static Evidence failedTime(LoadOutcome load, Symptoms symptoms) {
        return seen(
                "failed",
                End.CLIENT,
                load.networkErrors(),
                "generator",
                "%d exchanges failed, and %s of the connections' time went into them"
                        .formatted(load.networkErrors(), percent(symptoms.failedTimeShare())));
    }

    /// A derived figure with its limit.
    ///
    /// @param how how it was derived
    static Evidence against(
            String name, End end, double value, double limit, String how, String says) {
        return new Evidence(
                new Key.Derived(name), end, Basis.DERIVED, null, value, limit, how, says);
    }

    /// A counter or level that was read at least once.
    static Optional<Series> find(Observation observation, Key key, End end) {
        return observation.timeline().find(key, end).filter(s -> !Double.isNaN(s.last()));
    }

    /// The value to raise a limit to: four times as much, at least twice the connections, rounded
    /// up to a power of two.
    static long roomier(long limit, Observation observation) {
        long wanted = Math.max(Remedy.FACTOR * limit, 2L * observation.load().connections());
        return Long.highestOneBit(Math.max(1, wanted - 1)) << 1;
    }

    /// Whether the cgroup of any service was read, on either end.
    static boolean cgroupWatched(Observation observation, CgroupFigure figure) {
        return observation.timeline().all(figure).anyMatch(s -> !Double.isNaN(s.last()));
    }

    /// What is missing if a figure of the cgroups was not read: the cgroups, or what the kernel
    /// counts there.
    static Missing missingOfCgroup(Observation observation) {
        return Stream.of(CgroupFigure.values()).anyMatch(one -> cgroupWatched(observation, one))
                ? Missing.READINGS
                : Missing.CGROUP;
    }

    /// A counter of events that end a service, such as a kill, for the service with the most
    /// events. It counts if it grew under this load, or if the service has been gone since then.
    static Optional<Series> fatal(Observation observation, Figure figure) {
        return worst(
                observation, figure, s -> s.growth() > 0 || (s.last() > 0 && gone(observation, s)));
    }

    /// The largest of the counters that count.
    static Optional<Series> worst(
            Observation observation, Figure figure, Predicate<Series> counts) {
        return observation
                .timeline()
                .all(figure)
                .filter(counts)
                .max(Comparator.comparingDouble(Series::last));
    }

    /// Whether the service ended before the measurement did.
    static boolean gone(Observation observation, Series ofTheService) {
        return observation
                .timeline()
                .beside(ofTheService, ProcessFigure.CPU)
                .filter(s -> Double.isNaN(s.values()[s.values().length - 1]))
                .isPresent();
    }

    /// A whole number, or -1 for any other text.
    static long number(String text) {
        return WHOLE.matcher(text.strip()).matches() ? Long.parseLong(text.strip()) : -1;
    }

    /// A kernel setting that is a whole number, or -1.
    static long sysctl(Observation observation, String name, End end) {
        return number(observation.facts().sysctl(name, end).orElse(""));
    }

    static String percent(double share) {
        return "%.0f %%".formatted(share * 100);
    }

    static String megabytes(double bytes) {
        return "%.0f MB".formatted(bytes / MEGABYTE);
    }

    static String millis(double nanos) {
        return nanos < 10e6 ? "%.2f ms".formatted(nanos / 1e6) : "%.0f ms".formatted(nanos / 1e6);
    }
}
