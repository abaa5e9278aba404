package wallfinder.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.peer.WatchedLoad;
import wallfinder.lab.session.Progress;
import wallfinder.remote.KubernetesPod;
import wallfinder.remote.ServerTarget;
import wallfinder.remote.SshTarget;

/// The host on which the server runs, if it is another one.
final class ServerOption {
    private static final String NAME = "--server";

    @Option(
            names = NAME,
            paramLabel = "ssh:[USER@]HOST|k8s:NAMESPACE/POD",
            description =
                    "The server's host, if it is another one: watch the service there, by your ssh,"
                            + " or start the services of the experiment there. The first time,"
                            + " Wallfinder copies itself there. Or the pod of the server, which a"
                            + " privileged pod then watches.")
    private @Nullable String server;

    /// The host by ssh, for what a pod cannot do.
    ///
    /// @throws UsageException if it is a pod
    @Nullable SshTarget target() {
        return server == null ? null : SshTarget.parse(NAME, server);
    }

    /// Where the server is watched.
    @Nullable ServerTarget watched() {
        return server == null ? null : ServerTarget.parse(NAME, server);
    }

    /// @throws UsageException if both are there
    void excludes(String option, @Nullable Object value) {
        if (server != null && value != null) {
            throw new UsageException(
                    "%s and %s cannot be used together".formatted(NAME, option),
                    "both say where the server is, or who watches it",
                    "leave one out");
        }
    }

    /// Whether the option names a pod. It says which service, too: all of the pod.
    boolean isPod() {
        return watched() instanceof KubernetesPod;
    }

    /// What to watch without a load.
    ///
    /// @param named the service of a host; null without one
    /// @throws UsageException if nothing is named, or a service of a pod
    Subject subject(@Nullable SubjectOptions named) {
        ServerTarget target = watched();
        if (target instanceof KubernetesPod pod) {
            if (named != null) {
                throw new UsageException(
                        "--port, --pid and --cgroup cannot be used with " + pod,
                        "a pod is watched as a whole",
                        "leave them out");
            }
            return new Subject(null, "pod " + pod.name());
        }
        if (named == null) {
            throw new UsageException(
                    "There is nothing to watch",
                    "no service was named",
                    "give one of --port, --pid and --cgroup, or --server k8s:NAMESPACE/POD");
        }
        WatchSubject service = named.subject();
        String there = target instanceof SshTarget host ? "-" + host.host() : "";
        return new Subject(service, service.describe() + there);
    }

    /// @param service null: all of the pod that the option names
    /// @param name of the run
    record Subject(@Nullable WatchSubject service, String name) {}

    /// @param subject what to watch there; of a pod all is watched, and its port is that of the
    ///   service; null if that is unknown
    /// @param load `OURS` or `OF_OTHERS`
    /// @return null without the option
    @Nullable RemoteWatch watch(
            @Nullable WatchSubject subject, WatchedLoad load, Progress progress) {
        return switch (watched()) {
            case null -> null;
            case SshTarget host ->
                    RemoteWatch.start(
                            host,
                            Objects.requireNonNull(subject),
                            load,
                            Console.home(),
                            Version.number(),
                            progress);
            case KubernetesPod pod -> {
                int port = subject instanceof WatchSubject.OfPort named ? named.port() : 0;
                yield RemoteWatch.start(pod, port, load, Version.number(), progress);
            }
        };
    }
}
