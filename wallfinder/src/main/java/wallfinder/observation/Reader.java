package wallfinder.observation;

import java.util.List;

/// Reads a fixed list of counters. One thread calls it up to ten times a second.
public interface Reader extends AutoCloseable {
    /// The counters it reads; the same list at every call. After the last reading, a source may
    /// also say what was found there.
    List<Counter> counters();

    /// Those of the counters whose subjects were found. It is asked after the last reading; the
    /// series of the others are dropped.
    default List<Counter> found() {
        return counters();
    }

    /// Writes the value of each counter in their order from `values[from]` on; `NaN` if unreadable.
    void read(double[] values, int from);

    @Override
    default void close() {}
}
