package wallfinder.lab;

/// What a comparison of two settings came to.
public enum Verdict {
    BETTER,
    WORSE,
    /// The difference is inside the noise.
    NONE
}
