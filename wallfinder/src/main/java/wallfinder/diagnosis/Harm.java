package wallfinder.diagnosis;

import java.util.Locale;

/// What a wall does to clients, the worst first.
public enum Harm {
    ERRORS,
    THROUGHPUT,
    LATENCY;

    /// The word used in `run.json`.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
