package wallfinder.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.lab.peer.WatchSubject;

/// Which running service: exactly one of these options.
final class SubjectOptions {
    private static final int PORT_MAX = 65_535;

    @Option(
            names = "--pid",
            paramLabel = "N",
            description = "A process and its descendants, also in a container of this host.")
    private @Nullable Long pid;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "The process that listens on this TCP port.")
    private @Nullable String port;

    @Option(
            names = "--cgroup",
            paramLabel = "PATH",
            description =
                    "All processes of a cgroup, version 1 or 2: a folder under /sys/fs/cgroup,"
                            + " or the path in the tree, such as system.slice/nginx.service.")
    private @Nullable String cgroup;

    WatchSubject subject() {
        if (pid != null) {
            return new WatchSubject.OfPid(pid);
        }
        return port == null
                ? new WatchSubject.OfCgroup(String.valueOf(cgroup))
                : new WatchSubject.OfPort(Bounded.count("--port", port, PORT_MAX));
    }
}
