package wallfinder.lab.peer;

/// The service to watch, as the user names it.
public sealed interface WatchSubject {
    /// A process with its descendants.
    record OfPid(long pid) implements WatchSubject {}

    /// The process that listens on a port of this network namespace.
    record OfPort(int port) implements WatchSubject {}

    /// All processes of a cgroup.
    record OfCgroup(String path) implements WatchSubject {}

    /// All processes of a pod on this node of a Kubernetes cluster.
    ///
    /// @param uid names its cgroup
    record OfPod(String name, String uid) implements WatchSubject {}

    /// The subject's text for messages and files.
    default String describe() {
        return switch (this) {
            case OfPid of -> "process " + of.pid();
            case OfPort of -> "port " + of.port();
            case OfCgroup of -> "cgroup " + of.path();
            case OfPod of -> "pod " + of.name();
        };
    }
}
