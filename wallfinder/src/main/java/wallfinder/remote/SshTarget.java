package wallfinder.remote;

import java.util.regex.Pattern;
import wallfinder.experiment.UsageException;

/// Another host as the user's `ssh` knows it: an address, a name, or a `Host` of its configuration.
///
/// @param destination `user@host` or `host`
public record SshTarget(String destination) implements GeneratorTarget, ServerTarget {
    private static final String SCHEME = "ssh:";

    /// No text that `ssh` or a shell would take for an option or for a second word.
    private static final Pattern DESTINATION =
            Pattern.compile("[A-Za-z0-9_.][A-Za-z0-9_.:%+@\\\\-]*");

    /// @param option the option with this value, for errors
    /// @throws UsageException if it is not `ssh:[user@]HOST`
    public static SshTarget parse(String option, String text) {
        String destination = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : "";
        if (!DESTINATION.matcher(destination).matches() || destination.endsWith("@")) {
            throw new UsageException(
                    "%s %s cannot be used".formatted(option, text),
                    "it has not the form ssh:[USER@]HOST",
                    "name the host as your ssh does, as in ssh:admin@10.0.0.2; a port or a jump host"
                            + " belongs into ~/.ssh/config");
        }
        return new SshTarget(destination);
    }

    @Override
    public int agents() {
        return 1;
    }

    /// The host without the user.
    public String host() {
        return destination.substring(destination.lastIndexOf('@') + 1);
    }

    @Override
    public String toString() {
        return SCHEME + destination;
    }
}
