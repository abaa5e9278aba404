package wallfinder.diagnosis;

/// What proves that a wall binds. If the generator was too slow, rates and latencies are only
/// bounds, but the kernel's counters and failed requests remain valid.
public enum Proof {
    /// A counter or a level of the kernel.
    KERNEL,

    /// Requests that failed, or were never answered.
    ERRORS,

    /// Rates and response times alone.
    TIMING
}
