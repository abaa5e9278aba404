package wallfinder.lab.find;

import wallfinder.diagnosis.RatioInterval;
import wallfinder.record.CapacityRecord;

/// How a remedy changed a capacity.
///
/// @param before the capacity without the remedy
/// @param after that with it
record CapacityGain(CapacityRecord before, CapacityRecord after) {
    /// Each capacity has its own interval. They are independent, so the squares of their widths add
    /// up, on a log scale. If only a lower bound of the second is known, so is that of the ratio.
    RatioInterval ratio() {
        double ratio = after.ratePerSecond() / before.ratePerSecond();
        double down = Math.hypot(log(after.ratePerSecond(), after.low()), upper(before));
        double up = Math.hypot(upper(after), log(before.ratePerSecond(), before.low()));
        return new RatioInterval(
                ratio, ratio * Math.exp(-down), ratio * Math.exp(up), before.pairs().size());
    }

    private static double upper(CapacityRecord capacity) {
        return log(capacity.high(), capacity.ratePerSecond());
    }

    private static double log(double more, double less) {
        return Math.log(more / less);
    }

    /// Whether the intervals are apart.
    boolean apart() {
        return ratio().effect() == RatioInterval.Effect.MORE && after.low() > before.high();
    }

    /// A rate that is too high without the remedy and holds with it.
    double between() {
        return Math.sqrt(before.ratePerSecond() * after.ratePerSecond());
    }
}
