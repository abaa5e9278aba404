package wallfinder.diagnosis;

/// Quantiles of Student's t distribution, for the intervals of few measurements.
public final class StudentT {
    /// From this many degrees of freedom on, t differs from the normal distribution by less than
    /// 0.1 %.
    private static final int NORMAL = 2_000;

    private static final double T_MAX = 1e6;
    private static final int HALVINGS = 100;

    private StudentT() {}

    /// The value at which the upper tail begins.
    ///
    /// @param tail the probability of the tail, such as 0.025
    /// @param freedom degrees of freedom, 1 or more
    public static double quantile(double tail, int freedom) {
        double low = 0;
        double high = T_MAX;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (low + high) / 2;
            if ((1 - within(middle, freedom)) / 2 > tail) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /// The value at which the upper tail of the normal distribution begins.
    public static double normalQuantile(double tail) {
        return quantile(tail, NORMAL);
    }

    /// The probability of a value between `-t` and `t`: the finite series for whole degrees of
    /// freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
    private static double within(double t, int freedom) {
        double angle = Math.atan(t / Math.sqrt(freedom));
        double cosine = Math.cos(angle);
        boolean odd = freedom % 2 == 1;
        double term = odd ? cosine : 1;
        double sum = 0;
        for (int power = odd ? 1 : 0; power <= freedom - 2; power += 2) {
            sum += term;
            term *= cosine * cosine * (power + 1) / (power + 2);
        }
        return odd ? 2 / Math.PI * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
    }
}
