package wallfinder.diagnosis;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The Universal Scalability Law, fitted to rates at several loads:
///
/// `X(N) = a N / (1 + s (N - 1) + k N (N - 1))`
///
/// `a` is the rate of one request at a time, `s` the contention (the share of the work that only
/// one request can do at a time), and `k` the coherency (what requests cost each other). See Neil
/// Gunther, "Guerrilla Capacity Planning", 2007.
///
/// `N / X` is linear in `1 / a`, `s / a` and `k / a`, so least squares of the relative errors need
/// no search. A negative contention or coherency means nothing; it counts as zero.
public final class Scalability {
    /// Three parameters go through any three points.
    private static final int LOADS_MIN = 5;

    /// The law does not fit if a typical rate differs by more.
    private static final double ERROR_MAX = 0.05;

    private static final double TAIL = 0.025;

    private final double[] coefficients;
    private final double[][] covariance;
    private final double variance;
    private final int freedom;

    private Scalability(
            double[] coefficients, double[][] covariance, double variance, int freedom) {
        this.coefficients = coefficients;
        this.covariance = covariance;
        this.variance = variance;
        this.freedom = freedom;
    }

    /// A rate at a load.
    ///
    /// @param load how many requests were under way
    public record Point(double load, double perSecond) {}

    /// A figure with its 95 % interval.
    public record Bounded(double value, double low, double high) {}

    /// @return empty if there are too few loads, or the law does not fit them
    public static Optional<Scalability> of(List<Point> points) {
        long loads = points.stream().mapToDouble(Point::load).distinct().count();
        boolean usable = points.stream().allMatch(p -> p.load() > 0 && p.perSecond() > 0);
        if (loads < LOADS_MIN || !usable) {
            return Optional.empty();
        }
        Scalability best = null;
        for (boolean[] used :
                new boolean[][] {
                    {true, true, true},
                    {true, true, false},
                    {true, false, true},
                    {true, false, false}
                }) {
            Scalability one = fit(points, used);
            if (one != null && (best == null || one.squares() < best.squares())) {
                best = one;
            }
        }
        return Optional.ofNullable(best).filter(fit -> fit.typicalError() <= ERROR_MAX);
    }

    private double squares() {
        return variance * freedom;
    }

    /// The standard deviation of the rates from the law, as a share of the rates.
    public double typicalError() {
        return Math.sqrt(variance);
    }

    /// The rate of one request at a time.
    public double alonePerSecond() {
        return 1 / coefficients[0];
    }

    public Bounded contention() {
        return share(1);
    }

    public Bounded coherency() {
        return share(2);
    }

    /// A coefficient in units of the first; its error by the linear terms of both.
    private Bounded share(int which) {
        double first = coefficients[0];
        double value = coefficients[which] / first;
        double error =
                Math.sqrt(
                                Math.max(
                                        0,
                                        covariance[which][which]
                                                - 2 * value * covariance[which][0]
                                                + value * value * covariance[0][0]))
                        / first;
        double away = StudentT.quantile(TAIL, freedom) * error;
        return new Bounded(value, Math.max(0, value - away), value + away);
    }

    /// The rate at a load, with the interval of one more measurement.
    public Bounded at(double load) {
        double[] row = row(load);
        double inverse = 0;
        double spread = 0;
        for (int i = 0; i < row.length; i++) {
            inverse += row[i] * coefficients[i];
            for (int j = 0; j < row.length; j++) {
                spread += row[i] * row[j] * covariance[i][j];
            }
        }
        double relative = Math.sqrt(spread / (inverse * inverse) + variance);
        double away = StudentT.quantile(TAIL, freedom) * relative;
        double rate = load / inverse;
        return new Bounded(rate, rate * Math.max(0, 1 - away), rate * (1 + away));
    }

    /// The highest rate of all loads; infinite without contention and coherency.
    public double highestPerSecond() {
        double contention = coefficients[1] / coefficients[0];
        double coherency = coefficients[2] / coefficients[0];
        if (coherency > 0) {
            return at(Math.sqrt(Math.max(1 - contention, 0) / coherency) + 0.0).value();
        }
        return contention > 0 ? alonePerSecond() / contention : Double.POSITIVE_INFINITY;
    }

    private static double[] row(double load) {
        return new double[] {1, load - 1, load * (load - 1)};
    }

    /// Least squares of `1 - X / N * row * coefficients`, the relative errors.
    ///
    /// @return null if a used coefficient is not positive
    private static @Nullable Scalability fit(List<Point> points, boolean[] used) {
        int[] columns = columns(used);
        double[][] normal = new double[columns.length][columns.length];
        double[] right = new double[columns.length];
        for (Point point : points) {
            double[] row = weighted(point);
            for (int i = 0; i < columns.length; i++) {
                right[i] += row[columns[i]];
                for (int j = 0; j < columns.length; j++) {
                    normal[i][j] += row[columns[i]] * row[columns[j]];
                }
            }
        }
        double[][] inverse = inverted(normal);
        if (inverse == null) {
            return null;
        }
        double[] coefficients = new double[3];
        for (int i = 0; i < columns.length; i++) {
            for (int j = 0; j < columns.length; j++) {
                coefficients[columns[i]] += inverse[i][j] * right[j];
            }
        }
        for (int column : columns) {
            if (coefficients[column] <= 0) {
                return null;
            }
        }
        int freedom = points.size() - columns.length;
        double variance =
                points.stream().mapToDouble(point -> squared(point, coefficients)).sum() / freedom;
        double[][] covariance = new double[3][3];
        for (int i = 0; i < columns.length; i++) {
            for (int j = 0; j < columns.length; j++) {
                covariance[columns[i]][columns[j]] = variance * inverse[i][j];
            }
        }
        return new Scalability(coefficients, covariance, variance, freedom);
    }

    private static int[] columns(boolean[] used) {
        int[] columns = new int[used.length];
        int count = 0;
        for (int i = 0; i < used.length; i++) {
            if (used[i]) {
                columns[count++] = i;
            }
        }
        return Arrays.copyOf(columns, count);
    }

    private static double[] weighted(Point point) {
        return Arrays.stream(row(point.load()))
                .map(value -> value * point.perSecond() / point.load())
                .toArray();
    }

    private static double squared(Point point, double[] coefficients) {
        double[] row = weighted(point);
        double error = 1;
        for (int i = 0; i < row.length; i++) {
            error -= row[i] * coefficients[i];
        }
        return error * error;
    }

    /// By Gauss and Jordan; null if the matrix has no inverse.
    private static double @Nullable [][] inverted(double[][] matrix) {
        int n = matrix.length;
        double[][] left = new double[n][];
        double[][] right = new double[n][n];
        for (int i = 0; i < n; i++) {
            left[i] = matrix[i].clone();
            right[i][i] = 1;
        }
        for (int column = 0; column < n; column++) {
            double pivot = left[column][column];
            if (pivot <= 0) {
                return null;
            }
            for (int j = 0; j < n; j++) {
                left[column][j] /= pivot;
                right[column][j] /= pivot;
            }
            for (int i = 0; i < n; i++) {
                double factor = i == column ? 0 : left[i][column];
                for (int j = 0; j < n; j++) {
                    left[i][j] -= factor * left[column][j];
                    right[i][j] -= factor * right[column][j];
                }
            }
        }
        return right;
    }
}
