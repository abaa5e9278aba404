package wallfinder.junit;

/// What a diagnosis concludes.
public enum Verdict {
    /// A known wall stopped the service.
    NAMED,
    /// The service reached a limit that no known wall explains.
    UNNAMED,
    /// The generator was the limit: rates and response times are only lower bounds of what the
    /// service can do.
    INVALID,
    /// No wall was reached.
    NONE
}
