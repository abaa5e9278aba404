package wallfinder.diagnosis;

/// The ratio of a figure after a change to the figure before, from interleaved pairs.
///
/// @param ratio after divided by before
/// @param low the lower bound of the 95 % interval
public record RatioInterval(double ratio, double low, double high, int pairs) {
    /// Two fresh processes differ by a twentieth anyway, however narrow the interval is.
    private static final double RATIO_THAT_MATTERS = 0.05;

    /// An interval that reaches beyond this, or below its inverse, excludes no effect worth having.
    private static final double UNCLEAR_MIN = 1.25;

    /// What the interval shows.
    public enum Effect {
        MORE,
        LESS,
        /// There is no difference beyond the noise.
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

    /// Whether there may be an effect that the interval is too wide to show.
    public boolean isUnclear() {
        return effect() == Effect.NONE && (high > UNCLEAR_MIN || low < 1 / UNCLEAR_MIN);
    }

    /// Before divided by after, for a figure that is better if it is smaller, such as a latency.
    public RatioInterval inverse() {
        return new RatioInterval(1 / ratio, 1 / high, 1 / low, pairs);
    }
}
