package wallfinder.sampling;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Counter;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// The samples that a [Sampler] of another process takes. They make a timeline at any time, because
/// that process may end without a word.
public final class CarriedSamples implements SampleSink {
    private List<Counter> counters = List.of();
    private @Nullable Set<Counter> found;
    private @Nullable Samples samples;
    private @Nullable Recent recent;
    private long startNanos;

    @Override
    public void begin(List<Counter> all, long start) {
        counters = List.copyOf(all);
        startNanos = start;
        samples = new Samples(Samples.SAMPLES_MAX, counters.size());
        recent = new Recent(counters);
    }

    @Override
    public void add(long nanos, double[] row) {
        begun().add(nanos, row);
        show(nanos, row);
    }

    @Override
    public void addLast(long nanos, double[] row) {
        begun().addLast(nanos, row);
        show(nanos, row);
    }

    private void show(long nanos, double[] row) {
        if (recent != null) {
            recent.add(nanos, row);
        }
    }

    @Override
    public void halve() {
        begun().halve();
    }

    @Override
    public void end(List<Counter> all, Set<Counter> inUse) {
        counters = List.copyOf(all);
        found = new HashSet<>(inUse);
    }

    private Samples begun() {
        Samples known = samples;
        if (known == null) {
            throw new IllegalStateException("a sample before the first");
        }
        return known;
    }

    /// The zero of the timeline by the clock of the other process.
    public long startNanos() {
        return startNanos;
    }

    /// The newest values as a timeline of one second; empty before the first sample.
    public Timeline recent() {
        return recent == null ? new Timeline(new long[0], List.of()) : recent.timeline();
    }

    /// What has come so far. If the end did not come, a counter without any value was not found.
    public Timeline timeline() {
        Timeline all = begun().timeline(counters);
        Set<Counter> inUse = found;
        return Sampler.found(all, inUse == null ? withValues(all) : inUse);
    }

    private static Set<Counter> withValues(Timeline all) {
        List<Counter> counters = new ArrayList<>();
        for (Series series : all.series()) {
            boolean unseen = DependencyColumns.isUnseen(series.counter());
            if (!unseen && !Double.isNaN(series.first())) {
                counters.add(series.counter());
            }
        }
        return new HashSet<>(counters);
    }
}
