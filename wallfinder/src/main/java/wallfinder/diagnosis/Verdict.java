package wallfinder.diagnosis;

import java.util.Locale;

/// What the diagnosis of a measurement concludes.
public enum Verdict {
    /// A wall was named, with evidence.
    NAMED,
    /// The load was harmed, and no known wall explains it.
    UNNAMED,
    /// The generator was the limit: the figures say nothing about the service.
    INVALID,
    /// No wall was reached.
    NONE;

    /// The word used in `run.json`.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
