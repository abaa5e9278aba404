package wallfinder.record;

import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.WallId;

/// A remedy with its measured effect.
///
/// @param throughput answers a second, after divided by before; connections a second for held
///   connections whose messages go by the clock; with `raised` the capacities
/// @param p99 the 99th percentile of the response time, after divided by before
/// @param kept whether it moved the wall and stays
/// @param masks a cause whose evidence stays although its harm is gone, or null
/// @param raised null if the remedy is to raise the throughput and not the capacity
/// @param lowerBound whether the generator was the limit in most trials with the remedy, so that
///   the service could do more
/// @param tooFewPairs whether other programs spoilt so many pairs that the rest decides nothing
public record Applied(
        Remedy remedy,
        RatioInterval throughput,
        RatioInterval p99,
        RunRecord.Side before,
        RunRecord.Side after,
        boolean kept,
        @Nullable WallId masks,
        RunRecord.@Nullable Raised raised,
        boolean lowerBound,
        boolean tooFewPairs) {
    /// A remedy that is to raise the capacity.
    public Applied(
            Remedy remedy,
            RatioInterval capacity,
            RatioInterval p99,
            RunRecord.Side before,
            RunRecord.Side after,
            boolean kept,
            RunRecord.Raised raised) {
        this(remedy, capacity, p99, before, after, kept, null, raised, false, false);
    }

    /// A remedy that masks nothing.
    public Applied(
            Remedy remedy,
            RatioInterval throughput,
            RatioInterval p99,
            RunRecord.Side before,
            RunRecord.Side after,
            boolean kept) {
        this(remedy, throughput, p99, before, after, kept, null, null, false, false);
    }

    /// The same, with the cause that it masks.
    public Applied masking(@Nullable WallId cause) {
        return copy(cause, lowerBound, tooFewPairs);
    }

    /// The same as a lower bound.
    public Applied limitedByGenerator() {
        return copy(masks, true, tooFewPairs);
    }

    /// The same without a decision.
    public Applied undecided() {
        return copy(masks, lowerBound, true);
    }

    private Applied copy(@Nullable WallId cause, boolean bound, boolean tooFew) {
        return new Applied(
                remedy, throughput, p99, before, after, kept, cause, raised, bound, tooFew);
    }

    /// False if an arm had too few answers for a ratio. A capacity may have no upper bound.
    public boolean comparable() {
        return Double.isFinite(throughput.ratio())
                && Double.isFinite(throughput.low())
                && (Double.isFinite(throughput.high())
                        || (raised != null && throughput.high() > 0));
    }

    /// For example `4.10 times, 2.50-4.80` or `no effect, 0.99-1.02`.
    public String text() {
        return effect() + (masks == null ? "" : "; it masks " + masks.word());
    }

    /// Whether at least half of the errors are gone.
    public boolean mends() {
        return before.errors() > 0
                && after.errorShare() <= KeepRule.ERRORS_MAX * before.errorShare();
    }

    /// Whether it was kept because answers are quicker.
    private boolean shortens() {
        return kept && p99.effect() == RatioInterval.Effect.LESS;
    }

    private String effect() {
        if (!comparable()) {
            return raised != null && after.perSecond() == 0
                    ? "no rate held the objective with it"
                    : "not known: too few answers to compare";
        }
        String interval = NumberText.interval(throughput);
        String times = NumberText.format("%.2f times, %s", throughput.ratio(), interval);
        return switch (throughput.effect()) {
            case NONE -> mends() || shortens() ? reduced() : none();
            case MORE -> (lowerBound ? "at least " : "") + times + (kept ? "" : ", not proven");
            case LESS -> kept ? reduced() : "worse: " + times;
        };
    }

    private String none() {
        String interval = NumberText.interval(throughput);
        if (lowerBound) {
            return "not known: the generator was the limit with it, " + interval;
        }
        return (throughput.isUnclear() ? "unclear, " : "no effect, ") + interval;
    }

    /// What it reduced, if it did not raise the rate.
    private String reduced() {
        RatioInterval shorter = p99.inverse();
        return NumberText.format(
                "%s; %s, %s",
                mends()
                        ? NumberText.format("errors %,d -> %,d", before.errors(), after.errors())
                        : NumberText.format(
                                "p99 %.2f times shorter, %s",
                                shorter.ratio(), NumberText.interval(shorter)),
                onTheRate(),
                NumberText.interval(throughput));
    }

    private String onTheRate() {
        if (throughput.effect() == RatioInterval.Effect.LESS) {
            return NumberText.format("only %.2f times the rate", throughput.ratio());
        }
        return throughput.isUnclear() ? "an unclear effect on the rate" : "no effect on the rate";
    }
}
