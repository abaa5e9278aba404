package wallfinder.diagnosis;

/// What a wall does to those who ask, the worse first.
public enum Harm {
    ERRORS,
    THROUGHPUT,
    LATENCY;

    /// The word used in `run.json`.
    public String word() {
        return switch (this) {
            case ERRORS -> "errors";
            case THROUGHPUT -> "throughput";
            case LATENCY -> "latency";
        };
    }
}
