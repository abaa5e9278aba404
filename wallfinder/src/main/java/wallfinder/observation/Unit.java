package wallfinder.observation;

/// The unit of a counter's values.
public enum Unit {
    SECONDS,
    MICROSECONDS,
    BYTES,
    PAGES,
    CPUS,
    COUNT
}
