package wallfinder.observation;

import java.util.Locale;

/// Where something was measured, or where a wall is.
public enum End {
    SERVER,
    CLIENT,
    PATH;

    /// The word used in `run.json`.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
