package wallfinder.lab.compare;

import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.record.StoredRun.Capacity;

/// The ratio of two capacities. Each has an interval of its own on a log scale, and the squares of
/// their lengths add up.
final class CapacityRatio {
    private CapacityRatio() {}

    /// @return null if one of them has no interval
    static @Nullable RatioInterval of(Capacity a, Capacity b) {
        double ratio = b.perSecond() / a.perSecond();
        double away = Math.hypot(halfLog(a), halfLog(b));
        return Double.isFinite(away)
                ? new RatioInterval(
                        ratio,
                        ratio / Math.exp(away),
                        ratio * Math.exp(away),
                        Math.min(a.trials().size(), b.trials().size()) / 2)
                : null;
    }

    private static double halfLog(Capacity capacity) {
        return Math.log(capacity.high() / capacity.low()) / 2;
    }
}
