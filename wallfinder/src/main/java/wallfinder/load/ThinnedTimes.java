package wallfinder.load;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import wallfinder.observation.Thinned;

/// Every n-th response time of one engine thread, with its moment. When the memory is full, n
/// doubles and every second time is dropped.
final class ThinnedTimes {
    static final int TIMES_MAX = 1 << 14;

    private final long[] doneNanos = new long[TIMES_MAX];
    private final long[] responseNanos = new long[TIMES_MAX];
    private int count;
    private long stride;
    private long left;

    ThinnedTimes() {
        reset();
    }

    void reset() {
        count = 0;
        stride = 1;
        left = 1;
    }

    void add(long done, long response) {
        if (--left > 0) {
            return;
        }
        if (count == TIMES_MAX) {
            halve();
        }
        doneNanos[count] = done;
        responseNanos[count] = response;
        count++;
        left = stride;
    }

    /// Keeps those that the doubled stride would have kept, this one included.
    private void halve() {
        for (int i = 0; 2 * i < count; i++) {
            doneNanos[i] = doneNanos[2 * i];
            responseNanos[i] = responseNanos[2 * i];
        }
        count /= 2;
        stride *= 2;
    }

    private record Timed(long done, long response) {}

    private Stream<Timed> every(long wanted) {
        int step = (int) (wanted / stride);
        return IntStream.iterate(0, i -> i < count, i -> i + step)
                .mapToObj(i -> new Timed(doneNanos[i], responseNanos[i]));
    }

    /// The times of all threads together, by their moments.
    static Thinned merged(List<ThinnedTimes> threads) {
        long stride = threads.stream().mapToLong(thread -> thread.stride).max().orElse(1);
        long[] all =
                threads.stream()
                        .flatMap(thread -> thread.every(stride))
                        .sorted(Comparator.comparingLong(Timed::done))
                        .mapToLong(Timed::response)
                        .toArray();
        return new Thinned(stride, all);
    }
}
