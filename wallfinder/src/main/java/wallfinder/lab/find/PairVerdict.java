package wallfinder.lab.find;

import java.util.random.RandomGenerator;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.KeepRule;
import wallfinder.record.RunRecord;

/// What the pairs show: whether to keep a remedy, and whether more pairs could change that.
///
/// @param throughput good answers a second, after against before
/// @param p99 the 99th percentile of the response time, after against before
/// @param kept whether the remedy reduces the wall's harm and does no other harm
/// @param decided whether more pairs cannot change that
record PairVerdict(
        RatioInterval throughput,
        RatioInterval p99,
        RunRecord.Side before,
        RunRecord.Side after,
        boolean kept,
        boolean decided) {
    /// With fewer failures without the remedy, none with it may be chance.
    private static final long FAILURES_MIN = 10;

    /// @param pairsMax the largest number of pairs
    /// @param attempts how many remedies are tried for the same wall, so that one of them seems to
    ///   help by chance in at most 5 of 100 cases (Bonferroni)
    /// @param random draws the resamples
    static PairVerdict of(
            Arms arms, Harm harm, int pairsMax, int attempts, RandomGenerator random) {
        return of(arms, harm, pairsMax, attempts, arms.pairs() >= pairsMax, random);
    }

    /// The verdict if there are no more pairs, although there are fewer than `pairsMax`.
    static PairVerdict last(
            Arms arms, Harm harm, int pairsMax, int attempts, RandomGenerator random) {
        return of(arms, harm, pairsMax, attempts, true, random);
    }

    private static PairVerdict of(
            Arms arms,
            Harm harm,
            int pairsMax,
            int attempts,
            boolean last,
            RandomGenerator random) {
        double errorRate = EarlyStop.errorRatePerLook(pairsMax) / attempts;
        RatioInterval throughput = arms.throughput(errorRate, random);
        RatioInterval p99 = arms.p99(errorRate, random);
        RatioInterval errors = arms.errors(errorRate, random);
        RunRecord.Side before = Arms.side(arms.without());
        RunRecord.Side after = Arms.side(arms.with());
        boolean reduces =
                switch (harm) {
                    case THROUGHPUT ->
                            throughput.low() >= KeepRule.GAIN_MIN
                                    && KeepRule.noNewErrors(before, after);
                    case LATENCY ->
                            p99.high() <= KeepRule.TAIL_MAX && KeepRule.noNewErrors(before, after);
                    case ERRORS ->
                            before.errors() >= FAILURES_MIN
                                    && (errors.high() <= KeepRule.ERRORS_MAX
                                            || (last && eachPairMends(arms)))
                                    && !(throughput.high() < KeepRule.FALLEN);
                };
        boolean hopeless =
                switch (harm) {
                    case THROUGHPUT -> throughput.high() < KeepRule.GAIN_MIN;
                    case LATENCY -> p99.low() > KeepRule.TAIL_MAX;
                    case ERRORS ->
                            errors.low() > KeepRule.ERRORS_MAX
                                    || throughput.high() < KeepRule.FALLEN;
                };
        boolean looks = EarlyStop.looks(arms.pairs(), pairsMax);
        return new PairVerdict(
                throughput, p99, before, after, looks && reduces, looks && (reduces || hopeless));
    }

    /// Whether each pair lost half of its failures. Very different shares have no narrow interval.
    private static boolean eachPairMends(Arms arms) {
        for (int pair = 0; pair < arms.pairs(); pair++) {
            LoadOutcome without = arms.without().get(pair);
            LoadOutcome with = arms.with().get(pair);
            boolean mends =
                    without.failed() >= FAILURES_MIN
                            && share(with) <= KeepRule.ERRORS_MAX * share(without);
            if (!mends) {
                return false;
            }
        }
        return true;
    }

    private static double share(LoadOutcome load) {
        return (double) load.failed() / Math.max(1, Arms.requests(load));
    }
}
