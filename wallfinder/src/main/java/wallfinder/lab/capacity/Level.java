package wallfinder.lab.capacity;

import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// A trial at one rate.
///
/// @param index of the trial in its run
/// @param margin see [Margin]
record Level(int index, double perSecond, RunRecord.Trial trial, double margin) {
    /// Beyond this, a margin says only on which side of the border it is.
    private static final double FAR = 4;

    boolean held() {
        return margin <= 0;
    }

    /// Whether it missed the objective while the generator was the limit. That says nothing about
    /// the service.
    boolean generatorsMiss() {
        return !held() && trial.invalid();
    }

    CapacityRecord.Side side() {
        return new CapacityRecord.Side(index, perSecond, held());
    }

    double logRate() {
        return Math.log(perSecond);
    }

    double nearMargin() {
        return Math.clamp(margin, -FAR, FAR);
    }

    /// How fast the margin grows with the logarithm of the rate, between this and a higher rate.
    double slopeTo(Level above) {
        return (above.nearMargin() - nearMargin()) / (above.logRate() - logRate());
    }
}
