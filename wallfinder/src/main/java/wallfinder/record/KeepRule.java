package wallfinder.record;

import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.RatioInterval;

/// When `find` keeps a remedy, by the figures with the remedy against those without it.
public final class KeepRule {
    /// The rate rises by at least this factor. A smaller gain is not worth a remedy's price.
    public static final double GAIN_MIN = 1.05;

    /// Below this factor the rate has fallen.
    public static final double FALLEN = 0.95;

    /// The p99 falls to at most this part.
    public static final double TAIL_MAX = 0.9;

    /// The share of failed requests falls to at most this part.
    public static final double ERRORS_MAX = 0.5;

    /// Smaller shares of failed requests are ignored.
    private static final double ERROR_SHARE_MIN = 0.001;

    private KeepRule() {}

    /// Compares shares of the requests: with more answers, more requests can fail.
    public static boolean noNewErrors(RunRecord.Side before, RunRecord.Side after) {
        return after.errorShare() <= Math.max(before.errorShare(), ERROR_SHARE_MIN);
    }

    /// Why a remedy that raises the rate was not kept, or why too little is known of it; empty for
    /// other remedies.
    ///
    /// @param harm what it was to reduce
    public static String missing(Applied applied, Harm harm) {
        if (applied.tooFewPairs()) {
            return "too few pairs, because something else took the generator's CPU in the others";
        }
        boolean helps =
                applied.comparable() && applied.throughput().effect() == RatioInterval.Effect.MORE;
        if (!helps || applied.kept() || applied.raised() != null) {
            return "";
        }
        if (harm == Harm.ERRORS) {
            return "the share of failed requests did not surely fall by half";
        }
        if (!noNewErrors(applied.before(), applied.after())) {
            return "a larger share of requests failed";
        }
        if (applied.lowerBound()) {
            return "the generator was the limit with it";
        }
        return harm == Harm.LATENCY
                ? "p99 did not surely fall by a tenth"
                : "the rate did not surely rise by 5 %";
    }
}
