package wallfinder.diagnosis;

/// After against before, from interleaved pairs.
///
/// @param ratio how many times as much after as before
/// @param low the lower bound of the 95 % interval
/// @param high the upper bound
/// @param pairs how many pairs it rests on
public record RatioInterval(double ratio, double low, double high, int pairs) {
    /// What the interval allows to say.
    public enum Effect {
        MORE,
        LESS,
        /// A difference inside the noise is none.
        NONE;
    }

    public Effect effect() {
        if (low > 1) {
            return Effect.MORE;
        }
        return high < 1 ? Effect.LESS : Effect.NONE;
    }
}
