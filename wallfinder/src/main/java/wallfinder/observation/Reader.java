package wallfinder.observation;

import java.util.List;

/// Reads a fixed list of counters. Called ten times a second by one thread.
public interface Reader extends AutoCloseable {
    /// What it reads, the same list at every call.
    List<Counter> counters();

    /// Writes one value a counter, in their order, from `values[from]` on; `NaN` where one could
    /// not be read.
    void read(double[] values, int from);

    @Override
    default void close() {}
}
