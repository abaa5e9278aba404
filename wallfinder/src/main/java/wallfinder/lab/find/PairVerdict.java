package wallfinder.lab.find;

import java.util.random.RandomGenerator;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord;

/// What the pairs of a remedy show: whether it is kept, and whether more pairs could change that.
///
/// @param throughput after against before, of good answers a second
/// @param p99 the same of the response time
/// @param kept whether the remedy mends what the wall harms, and harms nothing else
/// @param decided whether the interval leaves no doubt about that
record PairVerdict(
        RatioInterval throughput,
        RatioInterval p99,
        RunRecord.Side before,
        RunRecord.Side after,
        boolean kept,
        boolean decided) {
    /// A remedy that gives less is not worth its price.
    private static final double GAIN_MIN = 1.05;

    /// A rate that is lower by this has fallen.
    private static final double FALLEN = 0.95;

    private static final double TAIL_MAX = 0.9;

    /// At least half of the failures have to go.
    private static final double ERRORS_MAX = 0.5;

    /// Below this share errors have not begun.
    private static final double ERROR_SHARE_MIN = 0.001;

    /// A pair with fewer failures without the remedy proves nothing by having none with it.
    private static final long FAILURES_MIN = 10;

    /// @param pairsMax after which there are no more
    /// @param random decides the resamples
    static PairVerdict of(Arms arms, Harm harm, int pairsMax, RandomGenerator random) {
        double errorRate = EarlyStop.errorRatePerLook(pairsMax);
        RatioInterval throughput = arms.throughput(errorRate, random);
        RatioInterval p99 = arms.p99(errorRate, random);
        RatioInterval errors = arms.errors(errorRate, random);
        RunRecord.Side before = arms.sideWithout();
        RunRecord.Side after = arms.sideWith();
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

    /// By their share of the requests: with more answers come more requests that can fail.
    private static boolean noNewErrors(RunRecord.Side before, RunRecord.Side after) {
        return after.errorShare() <= Math.max(before.errorShare(), ERROR_SHARE_MIN);
    }

    /// Shares that differ by powers of ten have no narrow interval. In each pair most of the
    /// failures have to be gone.
    private static boolean eachPairMends(Arms arms) {
        for (int pair = 0; pair < arms.pairs(); pair++) {
            LoadOutcome without = arms.without().get(pair);
            LoadOutcome with = arms.with().get(pair);
            boolean mends =
                    Arms.failed(without) >= FAILURES_MIN
                            && share(with) <= ERRORS_MAX * share(without);
            if (!mends) {
                return false;
            }
        }
        return true;
    }

    private static double share(LoadOutcome load) {
        return (double) Arms.failed(load) / Math.max(1, Arms.requests(load));
    }
}
