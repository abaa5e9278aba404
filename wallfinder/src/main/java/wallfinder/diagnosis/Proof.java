package wallfinder.diagnosis;

/// What proves that a wall binds. A generator that was too slow makes rates and latencies a lower
/// bound; it does not undo what the kernel counted or which requests failed.
public enum Proof {
    /// A counter or a level of the kernel.
    KERNEL,

    /// Requests that failed, or were never answered.
    ERRORS,

    /// Rates and response times alone.
    TIMING;

    /// Whether it holds although the generator was the limit.
    boolean survivesGenerator() {
        return this != TIMING;
    }
}
