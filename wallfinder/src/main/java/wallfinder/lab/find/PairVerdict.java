package wallfinder.lab.find;

import java.util.random.RandomGenerator;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.observation.LoadOutcome;
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
    /// A smaller gain is not worth a remedy's price.
    private static final double GAIN_MIN = 1.05;

    /// Below this ratio the throughput has fallen.
    private static final double FALLEN = 0.95;

    private static final double TAIL_MAX = 0.9;

    /// A remedy must remove at least half of the failures.
    private static final double ERRORS_MAX = 0.5;

    /// Smaller shares of errors are ignored.
    private static final double ERROR_SHARE_MIN = 0.001;

    /// With fewer failures without the remedy, a pair without failures proves nothing.
    private static final long FAILURES_MIN = 10;

    /// @param pairsMax the largest number of pairs
    /// @param attempts how many remedies are tried for the same wall, so that one of them seems to
    ///   help by chance in at most 5 of 100 cases (Bonferroni)
    /// @param random draws the resamples
    static PairVerdict of(
            Arms arms, Harm harm, int pairsMax, int attempts, RandomGenerator random) {
        double errorRate = EarlyStop.errorRatePerLook(pairsMax) / attempts;
        RatioInterval throughput = arms.throughput(errorRate, random);
        RatioInterval p99 = arms.p99(errorRate, random);
        RatioInterval errors = arms.errors(errorRate, random);
        RunRecord.Side before = Arms.side(arms.without());
        RunRecord.Side after = Arms.side(arms.with());
        boolean last = arms.pairs() >= pairsMax;
        boolean kept =
                switch (harm) {
                    case THROUGHPUT -> throughput.low() >= GAIN_MIN && noNewErrors(before, after);
                    case LATENCY -> p99.high() <= TAIL_MAX && noNewErrors(before, after);
                    case ERRORS ->
                            (errors.high() <= ERRORS_MAX || (last && eachPairMends(arms)))
                                    && !(throughput.high() < FALLEN);
                };
        boolean hopeless =
                switch (harm) {
                    case THROUGHPUT -> throughput.high() < GAIN_MIN;
                    case LATENCY -> p99.low() > TAIL_MAX;
                    case ERRORS -> errors.low() > ERRORS_MAX || throughput.high() < FALLEN;
                };
        boolean decided = EarlyStop.looks(arms.pairs(), pairsMax) && (kept || hopeless);
        return new PairVerdict(throughput, p99, before, after, kept, decided);
    }

    /// Compares shares of the requests: with more answers, more requests can fail.
    private static boolean noNewErrors(RunRecord.Side before, RunRecord.Side after) {
        return after.errorShare() <= Math.max(before.errorShare(), ERROR_SHARE_MIN);
    }

    /// Whether each pair lost half of its failures. Very different shares have no narrow interval.
    private static boolean eachPairMends(Arms arms) {
        for (int pair = 0; pair < arms.pairs(); pair++) {
            LoadOutcome without = arms.without().get(pair);
            LoadOutcome with = arms.with().get(pair);
            boolean mends =
                    without.failed() >= FAILURES_MIN && share(with) <= ERRORS_MAX * share(without);
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
