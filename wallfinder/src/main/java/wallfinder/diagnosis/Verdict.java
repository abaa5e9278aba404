package wallfinder.diagnosis;

/// How a measurement is judged.
public enum Verdict {
    /// A wall was named, with evidence.
    NAMED,
    /// It stopped, and no wall that we know explains it.
    UNNAMED,
    /// Our own generator was the wall: the figures say nothing about the service.
    INVALID,
    /// It did not stop.
    NONE;

    /// The word used in `run.json`.
    public String word() {
        return switch (this) {
            case NAMED -> "named";
            case UNNAMED -> "unnamed";
            case INVALID -> "invalid";
            case NONE -> "none";
        };
    }
}
