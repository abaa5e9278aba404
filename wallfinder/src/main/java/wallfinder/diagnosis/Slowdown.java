package wallfinder.diagnosis;

import org.HdrHistogram.Histogram;
import wallfinder.observation.LoadOutcome;

/// How much longer answers take under load than without, compared as distributions.
///
/// A few requests without load may not include the slowest one in a hundred, and their mean depends
/// on how many of those they include. So the comparison uses only the quantiles for which the
/// requests without load give an upper bound, and uses that bound. If the load has several
/// requests, each one is compared with itself and weighted by its answers under load.
///
/// @param aloneNanos the mean of the upper bounds of these quantiles without load
/// @param loadedNanos the mean of the same quantiles under load
record Slowdown(double aloneNanos, double loadedNanos) {
    /// Nothing is known about answers without load.
    static final Slowdown UNKNOWN = new Slowdown(Double.NaN, Double.NaN);

    /// The share of comparisons in which an upper bound may be too small.
    private static final double ERROR_RATE = 0.025;

    /// The quantile of the normal distribution for this rate.
    private static final double DEVIATIONS = 1.96;

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
        // Beyond this quantile even the largest value may be no upper bound.
        double highest = Math.pow(ERROR_RATE, 1.0 / count);
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

    /// The rank, as a share of the values, of an upper bound of a quantile: the number of values
    /// below it is binomial.
    private static double upperBound(double quantile, long count) {
        double expected = quantile * count;
        double spread = DEVIATIONS * Math.sqrt(expected * (1 - quantile));
        return Math.min(1, (expected + spread + 1) / count);
    }

    double ratio() {
        return loadedNanos / aloneNanos;
    }

    /// Whether slow answers under load are slower than all answers without load, and too many to be
    /// chance.
    ///
    /// @param factor by which they must be slower
    static boolean tailGrew(LoadOutcome load, double factor) {
        return switch (load) {
            case LoadOutcome.Requests requests -> tailGrew(requests, factor);
            case LoadOutcome.Held _, LoadOutcome.Command _, LoadOutcome.Unseen _ -> true;
        };
    }

    private static boolean tailGrew(LoadOutcome.Requests load, double factor) {
        Histogram alone = load.unloadedNanos();
        Histogram loaded = load.responseNanos();
        long count = requestsAlone(load);
        if (count == 0) {
            return true;
        }
        long slow = Symptoms.countFrom(loaded, (long) (factor * alone.getMaxValue()));
        double share = Symptoms.share(slow, loaded.getTotalCount());
        return Math.pow(1 - share, count) <= ERROR_RATE;
    }

    /// The number of requests without load. The histogram of several targets has been scaled up.
    static long requestsAlone(LoadOutcome.Requests load) {
        return load.targets().isEmpty()
                ? load.unloadedNanos().getTotalCount()
                : load.targets().stream()
                        .mapToLong(target -> target.unloadedNanos().getTotalCount())
                        .sum();
    }
}
