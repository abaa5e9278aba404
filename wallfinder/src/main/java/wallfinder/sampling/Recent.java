package wallfinder.sampling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import wallfinder.observation.Counter;
import wallfinder.observation.Key;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// The figures of about the last second of all services, listeners and destinations, for a display
/// while a measurement runs. Some readers repeat their values for some seconds, so each counter has
/// its own interval.
final class Recent {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long HALF_SECOND_NANOS = 500_000_000;

    /// A shorter interval makes no steady rate, because some counters count in ticks of 10 ms.
    private static final long RATE_NANOS_MIN = 1_000_000_000;

    /// A service's CPU time is read at every sample. Other readers may repeat their values.
    private static final long STILL_NANOS_MAX = 2_000_000_000L;

    private static final long REPEATED_NANOS_MAX = 11_000_000_000L;

    private final List<Counter> counters;
    private final int[] columns;
    private final double[] values;
    private final double[] largest; // of this half second
    private final double[] largestBefore; // of the half second before
    private final double[] perSecond;
    private final double[] before;
    private final long[] beforeNanos;
    private final long[] repeatedNanosMax;
    private long halfSeconds;

    Recent(List<Counter> all) {
        columns =
                IntStream.range(0, all.size())
                        .filter(i -> all.get(i).key() instanceof Key.Of)
                        .filter(i -> !DependencyColumns.isUnseen(all.get(i)))
                        .toArray();
        counters = Arrays.stream(columns).mapToObj(all::get).toList();
        values = unread(columns.length);
        largest = unread(columns.length);
        largestBefore = unread(columns.length);
        perSecond = unread(columns.length);
        before = unread(columns.length);
        beforeNanos = new long[columns.length];
        repeatedNanosMax =
                counters.stream()
                        .mapToLong(counter ->
                                counter.key().isOf(ProcessFigure.CPU)
                                        ? STILL_NANOS_MAX
                                        : REPEATED_NANOS_MAX)
                        .toArray();
    }

    private static double[] unread(int length) {
        double[] unread = new double[length];
        Arrays.fill(unread, Double.NaN);
        return unread;
    }

    /// @param row the values of all counters; those that were not read are `NaN`
    synchronized void add(long nanos, double[] row) {
        if (nanos / HALF_SECOND_NANOS > halfSeconds) {
            halfSeconds = nanos / HALF_SECOND_NANOS;
            System.arraycopy(largest, 0, largestBefore, 0, columns.length);
            Arrays.fill(largest, Double.NaN);
        }
        for (int i = 0; i < columns.length; i++) {
            double value = row[columns[i]];
            if (!Double.isNaN(value)) {
                values[i] = value;
                largest[i] = larger(value, largest[i]);
                rate(i, nanos, value);
            }
        }
    }

    private void rate(int i, long nanos, double value) {
        long interval = nanos - beforeNanos[i];
        if (value == before[i]) {
            // The reader may repeat the value. If not, the rate is zero, from the last growth on.
            perSecond[i] = interval < repeatedNanosMax[i] ? perSecond[i] : 0;
        } else if (Double.isNaN(before[i]) || interval >= RATE_NANOS_MIN) {
            perSecond[i] = (value - before[i]) / (interval / NANOS_PER_SECOND);
            before[i] = value;
            beforeNanos[i] = nanos;
        }
    }

    private static double larger(double a, double b) {
        return a >= b || Double.isNaN(b) ? a : b;
    }

    /// Two instants, a second apart. Each total grows by its last rate. Each level is the largest
    /// of the last half second or second, because a queue may be full for a few milliseconds only.
    synchronized Timeline timeline() {
        List<Series> series = new ArrayList<>(columns.length);
        for (int i = 0; i < columns.length; i++) {
            Counter counter = counters.get(i);
            boolean total = counter.kind() == Counter.Kind.CUMULATIVE;
            double newest =
                    total ? values[i] : larger(larger(largest[i], largestBefore[i]), values[i]);
            double earlier = total ? newest - perSecond[i] : newest;
            // A total without a rate would look like one that does not grow.
            if (!total || !Double.isNaN(earlier)) {
                series.add(new Series(counter, new double[] {earlier, newest}));
            }
        }
        return new Timeline(new long[] {0, (long) NANOS_PER_SECOND}, series);
    }
}
