package wallfinder.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import wallfinder.observation.LoadOutcome;

/// What a service answers without load, to requests sent one after the other.
///
/// @param responseNanos of good answers
/// @param targets of several requests what each was answered, in their order; empty of one, and of
///   more than a hundred
/// @param good how many answers were good
/// @param bad how many were not; zero if requests with pauses between them got good ones, for then
///   it is the rate that the service rejects
public record Probe(
        Histogram responseNanos, List<LoadOutcome.Target> targets, long good, long bad) {
    /// Adds this to what the load measured. Without load each request was sent as often as the
    /// others; here each counts for as much as it does under load.
    public LoadOutcome.Requests addedTo(LoadOutcome.Requests load) {
        if (targets.isEmpty() || load.targets().size() != targets.size()) {
            return load.withUnloaded(responseNanos, load.targets(), good, bad);
        }
        Histogram mixed = Tally.histogram();
        double badAlone = 0;
        List<LoadOutcome.Target> withTheirs = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            LoadOutcome.Target target = load.targets().get(i);
            LoadOutcome.Target alone = targets.get(i);
            addShare(target.answered(), alone.responseNanos(), mixed);
            badAlone += target.answered() * badShare(alone);
            withTheirs.add(
                    new LoadOutcome.Target(
                            target.request(),
                            target.answered(),
                            target.errors(),
                            target.responseNanos(),
                            alone.responseNanos()));
        }
        long asBad = Math.round(badAlone);
        return load.withUnloaded(mixed, withTheirs, load.answered() - asBad, asBad);
    }

    private double badShare(LoadOutcome.Target alone) {
        return bad == 0 || alone.answered() == 0 ? 0 : (double) alone.bad() / alone.answered();
    }

    /// Adds as many values as there were answers, spread as they are without load.
    private static void addShare(long answers, Histogram alone, Histogram mixed) {
        for (HistogramIterationValue value : alone.recordedValues()) {
            long count =
                    Math.round(
                            (double) answers
                                    * value.getCountAtValueIteratedTo()
                                    / alone.getTotalCount());
            mixed.recordValueWithCount(value.getValueIteratedTo(), Math.max(1, count));
        }
    }
}
