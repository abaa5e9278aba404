package wallfinder.diagnosis;

import org.HdrHistogram.Histogram;
import wallfinder.observation.LoadOutcome;

/// How much longer answers take under load than alone, compared as distributions.
///
/// A few requests without load never meet the slow one in a hundred, and the mean of those that
/// they meet hangs on how often they met it. So only those quantiles are compared that the requests
/// without load can tell an upper bound of, and with that bound. Of several requests each is
/// compared with itself, and counts for as much as it does under load.
///
/// @param aloneNanos mean over these quantiles without load, by their upper bounds
/// @param loadedNanos mean over the same quantiles under load
record Slowdown(double aloneNanos, double loadedNanos) {
    /// Nothing is known without load.
    static final Slowdown UNKNOWN = new Slowdown(Double.NaN, Double.NaN);

    /// In how many comparisons an upper bound may be too small.
    private static final double ERROR_RATE = 0.025;

    /// The normal distribution's quantile for it.
    private static final double DEVIATIONS = 1.96;

    /// How finely the distributions are compared.
    private static final int STEPS = 200;

    boolean known() {
        return !Double.isNaN(aloneNanos);
    }

    static Slowdown of(LoadOutcome load) {
        return switch (load) {
            case LoadOutcome.Requests requests -> of(requests);
            case LoadOutcome.Held _, LoadOutcome.Command _, LoadOutcome.Unseen _ -> UNKNOWN;
        };
    }

    private static Slowdown of(LoadOutcome.Requests load) {
        if (load.loop() instanceof LoadOutcome.Loop.Lockstep(Histogram batches)
                && batches.getTotalCount() > 0) {
            return of(load.unloadedNanos(), batches);
        }
        if (load.targets().isEmpty()) {
            return of(load.unloadedNanos(), load.responseNanos());
        }
        double alone = 0;
        double loaded = 0;
        long weights = 0;
        for (LoadOutcome.Target target : load.targets()) {
            Slowdown one = of(target.unloadedNanos(), target.responseNanos());
            if (one.known()) {
                long weight = target.responseNanos().getTotalCount();
                alone += weight * one.aloneNanos;
                loaded += weight * one.loadedNanos;
                weights += weight;
            }
        }
        return weights == 0
                ? of(load.unloadedNanos(), load.responseNanos())
                : new Slowdown(alone / weights, loaded / weights);
    }

    static Slowdown of(Histogram alone, Histogram loaded) {
        long count = alone.getTotalCount();
        if (count == 0 || loaded.getTotalCount() == 0) {
            return UNKNOWN;
        }
        double highest = highestQuantile(count);
        double aloneSum = 0;
        double loadedSum = 0;
        int compared = 0;
        for (int step = 0; step < STEPS; step++) {
            double quantile = (step + 0.5) / STEPS;
            if (compared > 0 && quantile > highest) {
                break;
            }
            aloneSum += alone.getValueAtPercentile(100 * upperBound(quantile, count));
            loadedSum += loaded.getValueAtPercentile(100 * quantile);
            compared++;
        }
        return new Slowdown(aloneSum / compared, loadedSum / compared);
    }

    /// Beyond this quantile even the largest of so many values may be too small.
    private static double highestQuantile(long count) {
        return Math.pow(ERROR_RATE, 1.0 / count);
    }

    /// Which of the values, as a share of them, is an upper bound of a quantile: the number of
    /// values below it is binomial.
    private static double upperBound(double quantile, long count) {
        double expected = quantile * count;
        double spread = DEVIATIONS * Math.sqrt(expected * (1 - quantile));
        return Math.min(1, (expected + spread + 1) / count);
    }

    /// How many times as long.
    double ratio() {
        return loadedNanos / aloneNanos;
    }

    /// Whether the slow answers under load are slower than any without, and too many for those to
    /// have missed them.
    ///
    /// @param factor how much slower
    static boolean tailGrew(LoadOutcome load, double factor) {
        return switch (load) {
            case LoadOutcome.Requests requests -> tailGrew(requests, factor);
            case LoadOutcome.Held _, LoadOutcome.Command _, LoadOutcome.Unseen _ -> true;
        };
    }

    private static boolean tailGrew(LoadOutcome.Requests load, double factor) {
        Histogram alone = load.unloadedNanos();
        Histogram loaded = load.responseNanos();
        long count = probes(load);
        if (count == 0) {
            return true;
        }
        long slow = Symptoms.countFrom(loaded, (long) (factor * alone.getMaxValue()));
        double share = Symptoms.share(slow, loaded.getTotalCount());
        return Math.pow(1 - share, count) <= ERROR_RATE;
    }

    /// How many requests were sent without load. The histogram of several has been scaled up.
    private static long probes(LoadOutcome.Requests load) {
        return load.targets().isEmpty()
                ? load.unloadedNanos().getTotalCount()
                : load.targets().stream()
                        .mapToLong(target -> target.unloadedNanos().getTotalCount())
                        .sum();
    }
}
