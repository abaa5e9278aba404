package wallfinder.diagnosis;

import java.util.Locale;

/// What the figures of an [Evidence] are. A reader can compare readings with the series of the same
/// name, and derived figures with those that they come from.
public enum Basis {
    /// `before` and `after` are the first and the last reading of a counter that only grows.
    COUNTER,

    /// `after` is the largest or the last reading of a level, `before` the first or null.
    LEVEL,

    /// The load counted or measured it.
    LOAD,

    /// Computed from other figures; the evidence's source says how.
    DERIVED,

    /// A setting that was in force.
    SETTING;

    /// The word used in `run.json`.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
