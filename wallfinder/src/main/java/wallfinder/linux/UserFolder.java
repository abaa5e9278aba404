package wallfinder.linux;

import java.nio.file.Path;

/// The user's folders by the XDG Base Directory Specification, which ignores relative paths.
public final class UserFolder {
    private UserFolder() {}

    /// What the user has set.
    public static Path config() {
        return of("XDG_CONFIG_HOME", ".config");
    }

    /// What programs remember.
    public static Path state() {
        return of("XDG_STATE_HOME", ".local/state");
    }

    private static Path of(String variable, String belowHome) {
        String set = System.getenv().getOrDefault(variable, "");
        String home = System.getenv().getOrDefault("HOME", System.getProperty("user.home"));
        return set.startsWith("/") ? Path.of(set) : Path.of(home, belowHome);
    }
}
