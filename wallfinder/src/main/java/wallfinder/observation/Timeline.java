package wallfinder.observation;

import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// All series of both ends on one time axis.
///
/// @param nanos the instants of the samples, since the start of the measurement
@SuppressWarnings("ArrayRecordComponent") // read-only by convention, as in Series
public record Timeline(long[] nanos, List<Series> series) {
    public Optional<Series> find(Key key, End end) {
        return series.stream()
                .filter(s -> s.end() == end && s.counter().key().equals(key))
                .findFirst();
    }

    /// The series of a figure at an end, one for each subject.
    public Stream<Series> all(Figure figure, End end) {
        return series.stream()
                .filter(s -> s.end() == end)
                .filter(s -> s.counter().key().isOf(figure));
    }

    /// The series of a figure at both ends, the server's first.
    public Stream<Series> all(Figure figure) {
        return Stream.concat(all(figure, End.SERVER), all(figure, End.CLIENT));
    }

    /// Another figure of the same subject at the same end.
    public Optional<Series> beside(Series one, Figure figure) {
        return find(figure.of(one.subject()), one.end());
    }

    /// The part from the last sample before an instant on. That sample becomes the time zero.
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

    /// The largest value that was read, or `NaN`.
    public double max(Key key, End end) {
        return find(key, end).map(Series::max).orElse(Double.NaN);
    }

    /// The last value that was read, or `NaN`.
    public double last(Key key, End end) {
        return find(key, end).map(Series::last).orElse(Double.NaN);
    }

    /// The growth of a counter; zero if it was not read.
    public double growth(Key key, End end) {
        double growth = find(key, end).map(Series::growth).orElse(0.0);
        return Double.isNaN(growth) ? 0.0 : growth;
    }
}
