package wallfinder.observation;

/// Where something was seen, or where a wall stands.
public enum End {
    SERVER,
    CLIENT,
    PATH;

    /// The word used in `run.json`.
    public String word() {
        return switch (this) {
            case SERVER -> "server";
            case CLIENT -> "client";
            case PATH -> "path";
        };
    }
}
