package wallfinder.diagnosis;

import java.util.Arrays;
import java.util.Optional;
import wallfinder.observation.Quantile;

/// The trend of a noisy figure: the slope by Theil and Sen. It counts if the order of the values
/// supports it (Mann and Kendall), if it continues in both halves, and if it is large compared with
/// the noise.
///
/// @param slope the change from one value to the next
record Trend(double slope, double from, double to) {
    /// Fewer values may be in this order by chance.
    static final int VALUES_MIN = 20;

    /// In standard deviations from a random order: one stationary series in 15,000 reaches this.
    private static final double ORDER_MIN = 4;

    /// With this share of the pairs in order, similar neighbours do not explain the order.
    private static final double PAIRS_IN_ORDER_MIN = 0.85;

    /// A figure that only filled, warmed up or changed once grows more slowly, or not at all, in
    /// one half.
    private static final double HALF_SLOPE_MIN = 0.25;

    /// A multiple of the median distance from the line.
    private static final double NOISE_RATIO = 3;

    /// Equal values would make the correction divide by zero.
    private static final double LIKENESS_MAX = 0.95;

    /// @param values evenly spaced
    static Optional<Trend> of(double[] values) {
        int count = values.length;
        double slope = count < VALUES_MIN ? 0 : slope(values, 0, count);
        if (slope == 0 || !goesOn(values, slope) || !ordered(values, slope)) {
            return Optional.empty();
        }
        double[] rest = rest(values, slope);
        double middle = Quantile.median(rest);
        double change = slope * (count - 1);
        for (int i = 0; i < count; i++) {
            rest[i] = Math.abs(rest[i] - middle);
        }
        return Math.abs(change) >= NOISE_RATIO * Quantile.median(rest)
                ? Optional.of(new Trend(slope, middle, middle + change))
                : Optional.empty();
    }

    /// The median of the slopes of all pairs.
    private static double slope(double[] values, int from, int to) {
        int count = to - from;
        double[] slopes = new double[count * (count - 1) / 2];
        int next = 0;
        for (int i = from; i < to; i++) {
            for (int j = i + 1; j < to; j++) {
                slopes[next++] = (values[j] - values[i]) / (j - i);
            }
        }
        return Quantile.median(slopes);
    }

    private static boolean goesOn(double[] values, double slope) {
        int half = values.length / 2;
        double least = HALF_SLOPE_MIN * Math.abs(slope);
        return Math.signum(slope) * slope(values, 0, half) >= least
                && Math.signum(slope) * slope(values, half, values.length) >= least;
    }

    /// Values that resemble their neighbours count as fewer values (Yue and Wang, 2004).
    ///
    /// @param slope not 0, so at least half of the pairs differ
    private static boolean ordered(double[] values, double slope) {
        int count = values.length;
        double order = 0;
        double untied = 0;
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                double sign = Math.signum(values[j] - values[i]);
                order += sign;
                untied += Math.abs(sign);
            }
        }
        if (Math.abs(order) >= PAIRS_IN_ORDER_MIN * untied) {
            return true;
        }
        double like = likeness(rest(values, slope));
        double variance = count * (count - 1.0) * (2 * count + 5) / 18 * ((1 + like) / (1 - like));
        return Math.abs(order) >= ORDER_MIN * Math.sqrt(variance);
    }

    /// The similarity of each value to the one before, from 0 to [#LIKENESS_MAX].
    private static double likeness(double[] rest) {
        double mean = Arrays.stream(rest).average().orElse(0);
        double products = 0;
        double squares = 0;
        for (int i = 0; i < rest.length; i++) {
            squares += (rest[i] - mean) * (rest[i] - mean);
            products += i == 0 ? 0 : (rest[i] - mean) * (rest[i - 1] - mean);
        }
        return squares > 0 ? Math.clamp(products / squares, 0, LIKENESS_MAX) : 0;
    }

    private static double[] rest(double[] values, double slope) {
        double[] rest = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            rest[i] = values[i] - slope * i;
        }
        return rest;
    }
}
