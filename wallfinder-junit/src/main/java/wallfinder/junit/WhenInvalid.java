package wallfinder.junit;

/// What becomes of a test whose measurement proves nothing about the service. There are three
/// cases: the generator was the limit ([Verdict#INVALID]); other programs or the hypervisor took
/// the CPUs ([Wall#CPU_STEAL]); the objective was missed while something else took CPU time from
/// the generator or the service.
///
/// The default is [#ABORT]. The configuration parameter `wallfinder.invalid`, `abort` or `fail`,
/// sets another default.
public enum WhenInvalid {
    /// The test is neither passed nor failed. Reports show it as skipped, with the reason.
    ABORT,
    /// The test fails.
    FAIL,
    /// The test gets the result and judges it itself.
    RETURN
}
