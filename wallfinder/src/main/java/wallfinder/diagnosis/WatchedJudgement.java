package wallfinder.diagnosis;

import java.util.List;
import java.util.Optional;
import java.util.function.DoublePredicate;
import wallfinder.observation.Counter;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// Judges a wall where a service was watched under a load that nobody saw. What it harms is not
/// known then; a limit that stopped the service most of the time is named, and one that did so now
/// and then is only near.
final class WatchedJudgement {
    /// Of the periods of a watch, a limit stops the service in so many at least to be named.
    static final double MOST = 0.5;

    /// A counter is asked whether it grew in each of these.
    private static final long PERIOD_NANOS = 1_000_000_000L;

    private WatchedJudgement() {}

    static Judgement judge(Judgement.Binds binds, Observation observation) {
        double share = binds.wall().lasted(binds, observation);
        if (share >= MOST) {
            return new Judgement.Binds(binds.wall(), binds.end(), null, binds.evidence());
        }
        return new Judgement.Near(
                binds.wall(),
                binds.end(),
                binds.evidence(),
                "%s, but in no more than %s of the time"
                        .formatted(told(binds.evidence()), EvidenceFigures.percent(share)));
    }

    private static String told(List<Evidence> evidence) {
        return evidence.isEmpty() ? "its evidence moved" : evidence.getFirst().says();
    }

    /// The share of the watch in which this evidence moved: of a counter the periods in which it
    /// grew, of a level the instants at which it had reached its limit. A figure that is derived
    /// stands for the whole watch.
    static double share(Evidence evidence, Observation observation) {
        Optional<Series> found = observation.timeline().find(evidence.counter(), evidence.end());
        if (found.isEmpty()) {
            return 1;
        }
        if (found.get().counter().kind() == Counter.Kind.CUMULATIVE) {
            return growing(found.get(), observation);
        }
        Double limit = evidence.limit();
        return limit == null ? 1 : share(found.get(), value -> value >= limit);
    }

    /// The share of the periods in which a counter grew, of those in which it was read.
    static double growing(Series series, Observation observation) {
        long[] nanos = observation.timeline().nanos();
        double before = Double.NaN;
        long lastRead = -1;
        long lastGrown = -1;
        int read = 0;
        int grown = 0;
        for (int i = 0; i < nanos.length; i++) {
            double value = series.values()[i];
            if (Double.isNaN(value)) {
                continue;
            }
            long period = Math.max(0, nanos[i] - nanos[0] - 1) / PERIOD_NANOS;
            if (!Double.isNaN(before)) {
                read += period > lastRead ? 1 : 0;
                grown += value > before && period > lastGrown ? 1 : 0;
                lastRead = period;
                lastGrown = value > before ? period : lastGrown;
            }
            before = value;
        }
        return Symptoms.share(grown, read);
    }

    /// The share of the instants at which a level was so, of those at which it was read.
    static double share(Series series, DoublePredicate so) {
        int read = 0;
        int count = 0;
        for (double value : series.values()) {
            read += Double.isNaN(value) ? 0 : 1;
            count += so.test(value) ? 1 : 0;
        }
        return Symptoms.share(count, read);
    }
}
