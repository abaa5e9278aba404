package wallfinder.observation;

/// In what the values of a counter are measured.
public enum Unit {
    SECONDS,
    MICROSECONDS,
    BYTES,
    PAGES,
    CPUS,
    COUNT
}
