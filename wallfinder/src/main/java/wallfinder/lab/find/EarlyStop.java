package wallfinder.lab.find;

/// When the pairs of a comparison may end before the last one: a group-sequential rule.
///
/// Who looks at the interval after each pair and stops when it pleases is wrong more often than the
/// interval says: with 5 % at each of three looks, in 11 of 100 comparisons of equal arms. Here
/// each look has a smaller error rate, the same for all (Pocock's rule, for t intervals), so that
/// all looks together err in at most 5 of 100. `EarlyStopTest` simulates it.
final class EarlyStop {
    /// A look at fewer pairs than this knows nothing of their spread.
    static final int PAIRS_MIN = 3;

    /// Of all looks together.
    static final double ERROR_RATE = 0.05;

    /// Looks overlap in their data, so that their errors do not add up. This power of their number
    /// is what simulations with 1 to 18 looks need, or a little more.
    private static final double OVERLAP = 0.72;

    private EarlyStop() {}

    /// Whether there is something to look at.
    static boolean looks(int pairs, int pairsMax) {
        return pairs >= Math.min(PAIRS_MIN, pairsMax);
    }

    /// The error rate of one look, where there may be one after each pair from the third on.
    static double errorRatePerLook(int pairsMax) {
        int looks = Math.max(1, pairsMax - PAIRS_MIN + 1);
        return ERROR_RATE * Math.pow(looks, -OVERLAP);
    }
}
