package wallfinder.junit;

/// What a wall does to those who ask.
public enum Harm {
    THROUGHPUT,
    ERRORS,
    LATENCY
}
