package wallfinder.diagnosis;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// Whether a counter moved when the load was harmed.
///
/// The time of the harm is known if exchanges failed, or if some seconds were slower than others.
/// It is unknown if a load is always slow or was not seen; then every counter that moved may be the
/// cause. The comparison is by seconds, so it cannot exclude a counter that moves in the same
/// second for another reason.
final class HarmTiming {
    /// The kernel repeats a dropped packet after 1, 2 and 4 s (TCP_TIMEOUT_INIT, doubled each
    /// time), so the harm may come 7 s later.
    static final long REPEATED_NANOS = 7_000_000_000L;

    /// After a stop, a service answers late until it has caught up.
    static final long STOPPED_NANOS = 1_000_000_000L;

    /// The harm may last from the counter's first growth on.
    static final long EVER_AFTER_NANOS = Long.MAX_VALUE / 4;

    /// A counter may be read a few samples before or after the load's own figures.
    private static final long SKEW_NANOS = 300_000_000L;

    /// This share of the harm must come while the counter moves, or soon afterwards.
    private static final double MOST = 0.5;

    private static final long SECOND = 1_000_000_000L;

    /// A second is slow if its answers take this many times as long as those of the median second.
    static final double SLOW_RATIO = 2;

    /// With fewer seconds, the median is not meaningful.
    private static final int SECONDS_MIN = 4;

    private HarmTiming() {}

    /// Returns true if the counter was not read.
    static boolean together(
            Observation observation, Key counter, End end, Harm harm, long lagNanos) {
        return observation
                .timeline()
                .find(counter, end)
                .map(s -> together(observation, s, harm, lagNanos))
                .orElse(true);
    }

    /// Whether it is known when the load was harmed.
    static boolean isDated(Observation observation, Harm harm) {
        return dated(observation, harm).isPresent();
    }

    private static Optional<double[]> dated(Observation observation, Harm harm) {
        return harm == Harm.ERRORS ? errors(observation) : slowSeconds(observation);
    }

    /// @param lagNanos how much later than the counter's growth the harm may come
    static boolean together(Observation observation, Series counter, Harm harm, long lagNanos) {
        return dated(observation, harm)
                .map(dated -> share(observation, counter, dated, lagNanos) >= MOST)
                .orElse(true);
    }

    /// The errors between each sample and the one before, if there are any.
    private static Optional<double[]> errors(Observation observation) {
        return observation
                .timeline()
                .find(LoadFigure.ERRORS, End.CLIENT)
                .map(s -> steps(s.values()))
                .filter(steps -> Arrays.stream(steps).sum() > 0);
    }

    private static double share(
            Observation observation, Series counter, double[] harm, long lagNanos) {
        long[] nanos = observation.timeline().nanos();
        double[] moved = steps(counter.values());
        double all = 0;
        double explained = 0;
        long last = Long.MIN_VALUE / 2;
        for (int i = 0, ahead = 0; i < nanos.length; i++) {
            while (ahead < nanos.length && nanos[ahead] <= nanos[i] + SKEW_NANOS) {
                last = moved[ahead] > 0 ? nanos[ahead] : last;
                ahead++;
            }
            all += harm[i];
            explained += nanos[i] - last <= lagNanos ? harm[i] : 0;
        }
        return Symptoms.share(explained, all);
    }

    /// The growth since the previous reading; 0 if there was no reading.
    private static double[] steps(double[] values) {
        double[] steps = new double[values.length];
        double before = Double.NaN;
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                steps[i] = Double.isNaN(before) ? 0 : Math.max(0, values[i] - before);
                before = values[i];
            }
        }
        return steps;
    }

    /// Marks the samples of slow seconds, if these are fewer than half.
    private static Optional<double[]> slowSeconds(Observation observation) {
        return Seconds.of(observation).flatMap(seconds -> slow(observation, seconds));
    }

    private static Optional<double[]> slow(Observation observation, Seconds seconds) {
        long[] nanos = observation.timeline().nanos();
        double[] slow = new double[nanos.length];
        for (int i = 1; i < nanos.length; i++) {
            slow[i] = seconds.means.get(second(nanos, i)) >= SLOW_RATIO * seconds.usual ? 1 : 0;
        }
        double count = Arrays.stream(slow).sum();
        return count > 0 && count < MOST * nanos.length ? Optional.of(slow) : Optional.empty();
    }

    /// The mean response time of each second, in microseconds.
    ///
    /// @param means 0 for a second without answers
    /// @param usual that of the median second
    record Seconds(List<Double> means, double usual) {
        static Optional<Seconds> of(Observation observation) {
            Optional<Series> sum =
                    observation.timeline().find(LoadFigure.RESPONSE_MICROS_SUM, End.CLIENT);
            Optional<Series> requests =
                    observation.timeline().find(LoadFigure.REQUESTS, End.CLIENT);
            if (sum.isEmpty() || requests.isEmpty()) {
                return Optional.empty();
            }
            double[] means =
                    meansBySecond(
                            observation.timeline().nanos(),
                            steps(sum.get().values()),
                            steps(requests.get().values()));
            double[] sorted = Arrays.stream(means).filter(mean -> mean > 0).sorted().toArray();
            return sorted.length < SECONDS_MIN
                    ? Optional.empty()
                    : Optional.of(
                            new Seconds(
                                    Arrays.stream(means).boxed().toList(),
                                    sorted[sorted.length / 2]));
        }
    }

    private static double[] meansBySecond(long[] nanos, double[] micros, double[] requests) {
        int seconds = nanos.length == 0 ? 0 : second(nanos, nanos.length - 1) + 1;
        double[] sums = new double[seconds];
        double[] counts = new double[seconds];
        for (int i = 1; i < nanos.length; i++) {
            sums[second(nanos, i)] += micros[i];
            counts[second(nanos, i)] += requests[i];
        }
        for (int i = 0; i < seconds; i++) {
            sums[i] = Symptoms.share(sums[i], counts[i]);
        }
        return sums;
    }

    private static int second(long[] nanos, int sample) {
        return (int) (Math.max(0, nanos[sample] - nanos[0] - 1) / SECOND);
    }
}
