package wallfinder.diagnosis;

/// What the figures of an [Evidence] are. A reader may compare those that were read with the series
/// of the same name, and those that were derived with what they were derived from.
public enum Basis {
    /// `before` and `after` are the first and the last reading of a counter that only grows.
    COUNTER("counter"),

    /// `after` is the largest or the last reading of a level, and `before`, if given, the first.
    LEVEL("level"),

    /// The load counted or measured it.
    LOAD("load"),

    /// Computed from other figures, as its source says.
    DERIVED("derived"),

    /// A setting that was in force.
    SETTING("setting");

    private final String word;

    Basis(String word) {
        this.word = word;
    }

    /// As `run.json` has it.
    public String word() {
        return word;
    }
}
