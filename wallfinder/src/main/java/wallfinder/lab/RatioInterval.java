package wallfinder.lab;

/// By how much a figure changed, after over before, with its 95 % interval.
///
/// @param ratio the best single estimate
/// @param pairs the number of pairs it rests on
public record RatioInterval(double ratio, double low, double high, int pairs) {

    /// The verdict on a figure of which more is better, such as the throughput. An interval that
    /// holds 1 is [Verdict#NONE].
    public Verdict verdict() {
        if (low > 1) {
            return Verdict.BETTER;
        }
        return high < 1 ? Verdict.WORSE : Verdict.NONE;
    }

    /// The same change seen from the other side, before over after: for a figure of which less is
    /// better, such as a latency, its verdict is the right one.
    public RatioInterval inverse() {
        return new RatioInterval(1 / ratio, 1 / high, 1 / low, pairs);
    }
}
