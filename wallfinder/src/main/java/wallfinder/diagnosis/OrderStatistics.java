package wallfinder.diagnosis;

import java.util.Arrays;
import wallfinder.observation.Thinned;

/// Intervals of quantiles, from the sorted values alone: which two of n independent values enclose
/// the true quantile follows from the binomial distribution, whatever the values' distribution is.
public final class OrderStatistics {
    /// The share of cases that an interval may miss.
    private static final double ERROR_RATE = 0.05;

    /// Neighbours may be correlated by this many standard errors. Independent ones rarely are.
    private static final double CORRELATION_ERRORS_MAX = 2;

    /// With fewer values no correlation shows.
    private static final int VALUES_MIN = 20;

    private OrderStatistics() {}

    /// @param low negative infinity if there are too few values for a lower bound
    /// @param high infinity if there are too few for an upper bound
    /// @param independent how many independent values it is from
    public record Interval(double low, double high, int independent) {}

    /// The interval of a percentile of response times. Slow answers come in groups, so neighbours
    /// are not independent. This thins the values until they are.
    ///
    /// @param percentile such as 99; less than 100
    public static Interval percentile(Thinned times, double percentile) {
        double quantile = percentile / 100;
        long[] values = times.values();
        double[] sorted = sorted(values, 1);
        if (sorted.length == 0) {
            return of(sorted, quantile);
        }
        double bound = sorted[(int) (quantile * sorted.length)];
        int step = 1;
        while (values.length / step > VALUES_MIN && correlated(values, step, bound)) {
            step *= 2;
        }
        return of(step == 1 ? sorted : sorted(values, step), quantile);
    }

    private static Interval of(double[] sorted, double quantile) {
        int n = sorted.length;
        double[] atMost = binomial(n, quantile);
        int low = (int) Arrays.stream(atMost).filter(p -> p <= ERROR_RATE / 2).count() - 1;
        int high = (int) Arrays.stream(atMost).filter(p -> 1 - p > ERROR_RATE / 2).count();
        return new Interval(
                low < 0 ? Double.NEGATIVE_INFINITY : sorted[low],
                high == n ? Double.POSITIVE_INFINITY : sorted[high],
                n);
    }

    /// For each number up to `n`, the probability that at most so many of `n` values are below the
    /// quantile.
    private static double[] binomial(int n, double quantile) {
        double[] atMost = new double[n + 1];
        double log = n * Math.log1p(-quantile);
        double sum = 0;
        for (int k = 0; k <= n; k++) {
            sum += Math.exp(log);
            atMost[k] = Math.min(1, sum);
            log += Math.log((double) (n - k) / (k + 1) * quantile / (1 - quantile));
        }
        return atMost;
    }

    private static double[] sorted(long[] values, int step) {
        double[] every = new double[(values.length + step - 1) / step];
        for (int i = 0; i < every.length; i++) {
            every[i] = values[i * step];
        }
        Arrays.sort(every);
        return every;
    }

    /// Whether a slow value is followed by another one more often than by chance.
    private static boolean correlated(long[] values, int step, double bound) {
        int n = 0;
        int slow = 0;
        int both = 0;
        boolean before = false;
        for (int i = 0; i < values.length; i += step) {
            boolean now = values[i] > bound;
            n++;
            slow += now ? 1 : 0;
            both += now && before ? 1 : 0;
            before = now;
        }
        double share = (double) slow / n;
        double variance = share * (1 - share);
        double correlation = variance == 0 ? 0 : ((double) both / n - share * share) / variance;
        return correlation > CORRELATION_ERRORS_MAX / Math.sqrt(n);
    }
}
