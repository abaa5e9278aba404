package wallfinder.diagnosis;

/// After against before, from interleaved pairs.
///
/// @param ratio how many times as much after as before
/// @param low the lower bound of the 95 % interval
/// @param high the upper bound
/// @param pairs how many pairs it rests on
public record RatioInterval(double ratio, double low, double high, int pairs) {
    /// A twentieth more or less is what fresh processes differ by anyway, however tight the
    /// interval.
    private static final double RATIO_THAT_MATTERS = 0.05;

    /// What the interval allows to say.
    public enum Effect {
        MORE,
        LESS,
        /// A difference inside the noise is none.
        NONE;
    }

    public Effect effect() {
        if (Math.abs(ratio - 1) < RATIO_THAT_MATTERS) {
            return Effect.NONE;
        }
        if (low > 1) {
            return Effect.MORE;
        }
        return high < 1 ? Effect.LESS : Effect.NONE;
    }

    /// The same change seen from the other side, before over after: for a figure of which less is
    /// better, such as a latency.
    public RatioInterval inverse() {
        return new RatioInterval(1 / ratio, 1 / high, 1 / low, pairs);
    }
}
