package wallfinder.record;

/// How a run ended.
public enum Outcome {
    DONE,
    /// An objective was missed.
    MISSED,
    /// The generator was the limit, or a capacity has no interval to compare its bound with.
    INVALID,
    INTERRUPTED,
    /// An error ended it after the first measurement.
    FAILED
}
