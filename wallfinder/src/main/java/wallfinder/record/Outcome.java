package wallfinder.record;

/// How a run ended.
public enum Outcome {
    DONE,
    /// An objective was missed.
    MISSED,
    /// The generator was the limit.
    INVALID,
    INTERRUPTED,
    /// An error ended it after the first measurement.
    FAILED
}
