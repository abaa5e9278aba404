package wallfinder.sampling;

import java.util.List;
import java.util.Set;
import wallfinder.observation.Counter;

/// Gets the samples of a [Sampler] while it takes them, on its thread. With the same calls
/// [CarriedSamples] makes the same timeline.
public interface SampleSink {
    SampleSink NONE =
            new SampleSink() {
                @Override
                public void begin(List<Counter> counters, long startNanos) {}

                @Override
                public void add(long nanos, double[] row) {}

                @Override
                public void addLast(long nanos, double[] row) {}

                @Override
                public void halve() {}

                @Override
                public void end(List<Counter> counters, Set<Counter> found) {}
            };

    /// Before the first sample.
    ///
    /// @param startNanos the zero of the timeline, by [System#nanoTime]
    void begin(List<Counter> counters, long startNanos);

    /// @param row a value for each counter; nobody changes it later
    void add(long nanos, double[] row);

    /// A sample that is always kept.
    void addLast(long nanos, double[] row);

    /// From now on half as many samples come, so half of the earlier ones are dropped.
    void halve();

    /// After the last sample.
    ///
    /// @param counters as at the beginning; some may have found their names later
    void end(List<Counter> counters, Set<Counter> found);
}
