package wallfinder.sampling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import wallfinder.observation.Counter;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// A bounded number of samples of a measurement. When there are too many it drops every second one,
/// and then takes only every second one. It always keeps the first and the last.
///
/// Most counters never change, so it stores only values that differ from the sample before.
final class Samples {
    /// Ten minutes at ten a second.
    static final int SAMPLES_MAX = 6_000;

    private final int samplesMax;
    private final Changes[] changes;
    private final double[] previous;
    private long[] nanos = new long[64];
    private int kept;
    private long offered;
    private long stride = 1;

    Samples(int samplesMax, int counters) {
        this.samplesMax = samplesMax;
        previous = new double[counters];
        changes = new Changes[counters];
        Arrays.setAll(changes, c -> new Changes());
    }

    /// The values of one counter that differ from the one before, and the numbers of their samples.
    private static final class Changes {
        private int[] samples = new int[1];
        private double[] values = new double[1];
        private int count;

        void add(int sample, double value) {
            if (count == samples.length) {
                samples = Arrays.copyOf(samples, count + count / 2 + 1);
                values = Arrays.copyOf(values, samples.length);
            }
            samples[count] = sample;
            values[count++] = value;
        }

        /// Drops the samples with odd numbers. Some counters are read only at a few samples: a
        /// value that nobody read is the one of the dropped sample before.
        void halve(int length) {
            double[] all = spread(length);
            count = 0;
            for (int i = 0; i < length; i += 2) {
                keep(i / 2, i > 0 && Double.isNaN(all[i]) ? all[i - 1] : all[i]);
            }
        }

        private void keep(int sample, double value) {
            if (count == 0 || !same(last(), value)) {
                add(sample, value);
            }
        }

        double last() {
            return values[count - 1];
        }

        double[] spread(int length) {
            double[] spread = new double[length];
            for (int i = 0; i < count; i++) {
                int end = i + 1 < count ? samples[i + 1] : length;
                Arrays.fill(spread, Math.min(samples[i], end), end, values[i]);
            }
            return spread;
        }
    }

    void add(long nanos, double[] values) {
        if (offered++ % stride == 0) {
            if (kept == samplesMax) {
                halve();
                stride *= 2;
            }
            addLast(nanos, values);
        }
    }

    /// Adds a sample that is never dropped.
    void addLast(long at, double[] values) {
        for (int c = 0; c < changes.length; c++) {
            if (kept == 0 || !same(previous[c], values[c])) {
                changes[c].add(kept, values[c]);
                previous[c] = values[c];
            }
        }
        if (kept == nanos.length) {
            nanos = Arrays.copyOf(nanos, kept * 2);
        }
        nanos[kept++] = at;
    }

    private static boolean same(double a, double b) {
        return Double.compare(a, b) == 0; // of NaN, too
    }

    /// Drops every second sample, because from now on only half as many are taken. Then all parts
    /// of the measurement have the same weight.
    void halve() {
        for (int c = 0; c < changes.length; c++) {
            changes[c].halve(kept);
            previous[c] = changes[c].last();
        }
        kept = Math.ceilDiv(kept, 2);
        for (int i = 0; i < kept; i++) {
            nanos[i] = nanos[2 * i];
        }
    }

    /// Counters that never changed share one array per value.
    Timeline timeline(List<Counter> counters) {
        Map<Double, double[]> still = new HashMap<>();
        List<Series> series = new ArrayList<>(counters.size());
        for (int c = 0; c < counters.size(); c++) {
            Changes one = changes[c];
            double[] values =
                    one.count == 1
                            ? still.computeIfAbsent(one.values[0], v -> one.spread(kept))
                            : one.spread(kept);
            series.add(new Series(counters.get(c), values));
        }
        return new Timeline(Arrays.copyOf(nanos, kept), series);
    }
}
