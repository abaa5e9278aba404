package wallfinder.lab.find;

/// When the pairs of a comparison may end before the last one: a group-sequential rule.
///
/// If every look at the interval may end the comparison, the error rates of the looks add up: three
/// looks at 5 % each are wrong in 11 of 100 comparisons of equal arms. Here each look has the same
/// smaller error rate (Pocock's rule, for t intervals), so that all looks together are wrong in at
/// most 5 of 100 comparisons. `EarlyStopTest` simulates it.
final class EarlyStop {
    /// With fewer pairs than this, their spread is unknown.
    static final int PAIRS_MIN = 3;

    /// The error rate of all looks together.
    static final double ERROR_RATE = 0.05;

    /// The errors of looks overlap. Simulations with 1 to 18 looks need at most this exponent.
    private static final double OVERLAP = 0.72;

    private EarlyStop() {}

    /// Whether there are enough pairs for a look.
    static boolean looks(int pairs, int pairsMax) {
        return pairs >= Math.min(PAIRS_MIN, pairsMax);
    }

    /// The error rate of one look, if there may be one after each pair from the third on.
    static double errorRatePerLook(int pairsMax) {
        int looks = Math.max(1, pairsMax - PAIRS_MIN + 1);
        return ERROR_RATE * Math.pow(looks, -OVERLAP);
    }
}
