package wallfinder.observation;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/// Quantiles of what was measured; `NaN` if nothing was.
public final class Quantile {
    private Quantile() {}

    /// The median of the values that are known.
    ///
    /// @param values `NaN` if unknown
    public static double median(double[] values) {
        double[] sorted = Arrays.stream(values).filter(v -> !Double.isNaN(v)).sorted().toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /// @param percentile such as 99
    public static double percentile(Histogram values, double percentile) {
        return values.getTotalCount() == 0 ? Double.NaN : values.getValueAtPercentile(percentile);
    }
}
