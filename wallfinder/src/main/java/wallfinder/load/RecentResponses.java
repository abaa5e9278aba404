package wallfinder.load;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/// The response times of the good answers since the last look, for a display while a load runs. The
/// looking thread does all the work: it copies the counts of the engine's threads, which neither
/// wait nor notice, and subtracts its copy of the last look.
public final class RecentResponses {
    private final LoadProgress progress;
    private final Histogram interval;
    private Histogram now;
    private Histogram before;

    public RecentResponses(LoadProgress progress) {
        this.progress = progress;
        interval = progress.histogram();
        now = progress.histogram();
        before = progress.histogram();
    }

    /// Looks again. The next look changes the result.
    public Histogram look() {
        Histogram older = before;
        before = now;
        now = older;
        now.reset();
        progress.responses(now);
        if (now.getTotalCount() < before.getTotalCount()) {
            before.reset(); // the counts began again at a mark
        }
        interval.reset();
        for (HistogramIterationValue at : now.recordedValues()) {
            long value = at.getValueIteratedTo();
            long count = at.getCountAtValueIteratedTo() - before.getCountAtValue(value);
            if (count > 0) {
                interval.recordValueWithCount(value, count);
            }
        }
        return interval;
    }
}
