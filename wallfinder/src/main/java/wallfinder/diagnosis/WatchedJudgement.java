package wallfinder.diagnosis;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoublePredicate;
import wallfinder.observation.Counter;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// Judges a wall of a watched service under an unseen load. The harm is unknown: a limit that
/// stopped the service for most of the time is named; a limit that stopped it now and then is near.
final class WatchedJudgement {
    /// A limit is named if it stops the service in this share of the watch.
    static final double MOST = 0.5;

    /// The length of a period of [#growing].
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
                        .formatted(describe(binds.evidence()), EvidenceFigures.percent(share)));
    }

    private static String describe(List<Evidence> evidence) {
        return evidence.isEmpty() ? "its evidence moved" : evidence.getFirst().says();
    }

    /// The share of the watch in which this evidence moved: for a counter, the periods in which it
    /// grew; for a level, the instants at its limit. A derived figure covers the whole watch.
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

    /// The share of the periods with readings in which a counter grew. A long watch has readings
    /// that are several periods apart. A counter that grew by one between two of them grew in one
    /// of these periods.
    static double growing(Series series, Observation observation) {
        long[] nanos = observation.timeline().nanos();
        double before = Double.NaN;
        long lastRead = 0;
        long lastGrown = 0;
        long read = 0;
        long grown = 0;
        for (int i = 0; i < nanos.length; i++) {
            double value = series.values()[i];
            if (Double.isNaN(value)) {
                continue;
            }
            long sinceNanos = nanos[i] - nanos[0];
            if (Double.isNaN(before)) {
                lastRead = sinceNanos / PERIOD_NANOS - 1;
                lastGrown = lastRead;
            } else {
                long period = Math.max(0, sinceNanos - 1) / PERIOD_NANOS;
                read += period - lastRead;
                if (value > before) {
                    long most = Math.max(period - lastRead, period > lastGrown ? 1 : 0);
                    grown += Math.min((long) Math.ceil(value - before), most);
                    lastGrown = period;
                }
                lastRead = period;
            }
            before = value;
        }
        return Symptoms.share(grown, read);
    }

    /// The share of the instants with readings at which a level met a condition.
    static double share(Series series, DoublePredicate so) {
        return Symptoms.share(
                Arrays.stream(series.values()).filter(so).count(),
                Arrays.stream(series.values()).filter(value -> !Double.isNaN(value)).count());
    }
}
