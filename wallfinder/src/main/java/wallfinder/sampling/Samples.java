package wallfinder.sampling;

import java.util.ArrayList;
import java.util.List;
import wallfinder.observation.Counter;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// The samples of a measurement, bounded: when there are too many, every second one is dropped, and
/// from then on only every second one is taken. The first and the last are always kept.
final class Samples {
    /// Ten minutes at ten a second; with 700 counters 34 MB.
    static final int SAMPLES_MAX = 6_000;

    private final int samplesMax;
    private List<Sample> kept = new ArrayList<>();
    private long offered;
    private long stride = 1;

    Samples(int samplesMax) {
        this.samplesMax = samplesMax;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Sample(long nanos, double[] values) {}

    /// @param values not to be changed any more
    void add(long nanos, double[] values) {
        if (offered++ % stride == 0) {
            if (kept.size() == samplesMax) {
                thin();
            }
            kept.add(new Sample(nanos, values));
        }
    }

    /// Adds one that is never dropped.
    void addLast(long nanos, double[] values) {
        kept.add(new Sample(nanos, values));
    }

    private void thin() {
        List<Sample> half = new ArrayList<>(samplesMax);
        for (int i = 0; i < kept.size(); i += 2) {
            half.add(kept.get(i));
        }
        kept = half;
        stride *= 2;
    }

    Timeline timeline(List<Counter> counters) {
        List<Series> series = new ArrayList<>(counters.size());
        for (int c = 0; c < counters.size(); c++) {
            double[] values = new double[kept.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = kept.get(i).values[c];
            }
            series.add(new Series(counters.get(c), values));
        }
        return new Timeline(kept.stream().mapToLong(Sample::nanos).toArray(), series);
    }
}
