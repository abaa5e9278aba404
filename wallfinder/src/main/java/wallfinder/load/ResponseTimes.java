package wallfinder.load;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;
import wallfinder.observation.ResponseFigure;

/// The good answers of a running load by response time. The reading thread does all the work: the
/// engine's threads neither wait nor notice, so some of the newest answers may be missing.
final class ResponseTimes implements Reader {
    private static final int BUCKETS = ResponseFigure.END - ResponseFigure.FIRST;

    private final List<? extends EngineThread> threads;

    /// Where each bucket begins, and where the last one ends. No time of the histograms is in two
    /// buckets.
    private final long[] fromNanos = new long[BUCKETS + 1];

    private final boolean[] found = new boolean[BUCKETS];

    ResponseTimes(List<? extends EngineThread> threads) {
        this.threads = threads;
        Histogram alike = threads.getFirst().state().tally.responseNanos;
        for (int i = 1; i <= BUCKETS; i++) {
            double nanos = ResponseFigure.nanos(ResponseFigure.FIRST + i);
            fromNanos[i] = alike.lowestEquivalentValue((long) nanos);
        }
    }

    @Override
    public List<Counter> counters() {
        return IntStream.range(0, BUCKETS).mapToObj(ResponseTimes::counter).toList();
    }

    private static Counter counter(int bucket) {
        return ResponseFigure.of(ResponseFigure.FIRST + bucket).at(End.CLIENT, LoadProgress.ENGINE);
    }

    /// Those with an answer.
    @Override
    public List<Counter> found() {
        return IntStream.range(0, BUCKETS)
                .filter(bucket -> found[bucket])
                .mapToObj(ResponseTimes::counter)
                .toList();
    }

    @Override
    public void read(double[] values, int from) {
        Arrays.fill(values, from, from + BUCKETS, 0);
        for (EngineThread thread : threads) {
            add(thread.state().tally.responseNanos, values, from);
        }
    }

    private void add(Histogram nanos, double[] values, int from) {
        long min = nanos.getMinNonZeroValue();
        long max = nanos.getMaxValue();
        for (int i = 0; i < BUCKETS && fromNanos[i] <= max; i++) {
            if (fromNanos[i + 1] > min) {
                long count = nanos.getCountBetweenValues(fromNanos[i], fromNanos[i + 1] - 1);
                values[from + i] += count;
                found[i] |= count > 0;
            }
        }
    }
}
