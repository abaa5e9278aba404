package wallfinder.observation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Every n-th value of a series, in the order in which the values occurred. A histogram has all
/// values but no order, which the error of a percentile depends on.
///
/// @param stride n
/// @param values never changed
@SuppressWarnings("ArrayRecordComponent") // read-only, never compared
public record Thinned(long stride, long[] values) {
    public static final Thinned NONE = new Thinned(1, new long[0]);

    /// At most so many of them.
    public Thinned atMost(int count) {
        Thinned all = this;
        while (all.values.length > count) {
            all = all.every(2);
        }
        return all;
    }

    /// Every n-th of them.
    private Thinned every(int n) {
        long[] kept = new long[(values.length + n - 1) / n];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = values[i * n];
        }
        return new Thinned(stride * n, kept);
    }

    /// Those of series that began and ended together, in about the order in which they occurred:
    /// within each series the values are evenly spread over the time.
    public static Thinned merged(List<Thinned> together) {
        long stride = together.stream().mapToLong(Thinned::stride).max().orElse(1);
        record Placed(double place, long value) {}
        List<Placed> all = new ArrayList<>();
        for (Thinned one : together) {
            long[] values = one.every((int) Math.max(1, stride / one.stride)).values;
            for (int i = 0; i < values.length; i++) {
                all.add(new Placed((i + 0.5) / values.length, values[i]));
            }
        }
        all.sort(Comparator.comparingDouble(Placed::place));
        return new Thinned(stride, all.stream().mapToLong(Placed::value).toArray());
    }
}
