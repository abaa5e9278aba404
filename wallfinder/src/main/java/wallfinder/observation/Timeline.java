package wallfinder.observation;

import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// Everything that was read of both ends, on one time axis.
///
/// @param nanos the instants since the start of the measurement
@SuppressWarnings("ArrayRecordComponent") // read-only by convention, as in Series
public record Timeline(long[] nanos, List<Series> series) {
    public Optional<Series> find(String name, End end) {
        return series.stream()
                .filter(s -> s.counter().end() == end && s.counter().name().equals(name))
                .findFirst();
    }

    /// All series of an end whose name starts and ends so: `listen[`, `].drops`.
    public Stream<Series> all(String prefix, String suffix, End end) {
        return series.stream()
                .filter(s -> s.counter().end() == end)
                .filter(s -> s.counter().name().startsWith(prefix))
                .filter(s -> s.counter().name().endsWith(suffix));
    }

    /// The same from the last sample before an instant on, which becomes its zero.
    public Timeline since(long instant) {
        int from = 0;
        while (from + 1 < nanos.length && nanos[from + 1] <= instant) {
            from++;
        }
        int first = from;
        return new Timeline(
                LongStream.of(nanos).skip(first).map(n -> n - nanos[first]).toArray(),
                series.stream()
                        .map(s ->
                                new Series(
                                        s.counter(),
                                        DoubleStream.of(s.values()).skip(first).toArray()))
                        .toList());
    }

    /// By how much a counter grew; zero if it was not read.
    public double growth(String name, End end) {
        double growth = find(name, end).map(Series::growth).orElse(0.0);
        return Double.isNaN(growth) ? 0.0 : growth;
    }
}
