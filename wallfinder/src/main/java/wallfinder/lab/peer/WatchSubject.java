package wallfinder.lab.peer;

/// What is to be watched, as it was named.
public sealed interface WatchSubject {
    /// A process with its descendants.
    record OfPid(long pid) implements WatchSubject {}

    /// Whoever listens on a port of this network namespace.
    record OfPort(int port) implements WatchSubject {}

    /// All processes of a cgroup.
    record OfCgroup(String path) implements WatchSubject {}

    /// As it is told, and named in files.
    default String describe() {
        return switch (this) {
            case OfPid of -> "process " + of.pid();
            case OfPort of -> "port " + of.port();
            case OfCgroup of -> "cgroup " + of.path();
        };
    }
}
