package wallfinder.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import wallfinder.observation.LoadOutcome;

/// How a service answers sequential requests without load.
///
/// @param responseNanos of good answers
/// @param targets the answers to each of several requests, in order; empty for one request, and for
///   more than a hundred
/// @param good how many answers were good
/// @param bad how many answers were not good; zero if the same requests got good answers after a
///   pause, because then the service rejects the rate
/// @param sent how many requests this took in all; some only showed how fast the service is
/// @param handshakes how many TLS handshakes it took
public record Probe(
        Histogram responseNanos,
        List<LoadOutcome.Target> targets,
        long good,
        long bad,
        long sent,
        long handshakes) {
    /// Adds these figures to the outcome of the load. Without load all requests were sent equally
    /// often; here each has the weight that it has under load.
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

    /// Adds as many values as there were answers under load, distributed as without load.
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
