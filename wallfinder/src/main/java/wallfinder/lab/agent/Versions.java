package wallfinder.lab.agent;

import org.jspecify.annotations.Nullable;

/// Whether the programs on both hosts understand each other.
final class Versions {
    private Versions() {}

    /// @param theirs what the other side says of itself
    /// @param version that of this program
    /// @return null if both are the same
    static Message.@Nullable Failed compare(Message.Hello theirs, String version) {
        if (theirs.protocol() == Message.PROTOCOL && theirs.version().equals(version)) {
            return null;
        }
        return new Message.Failed(
                false,
                "the two hosts run different versions of Wallfinder",
                "one is %s (protocol %d), and the other %s (protocol %d)"
                        .formatted(version, Message.PROTOCOL, theirs.version(), theirs.protocol()),
                "remove the copy: wallfinder agents clean ssh:HOST. The next run makes it anew");
    }
}
