package wallfinder.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.peer.WatchedLoad;
import wallfinder.lab.session.Progress;
import wallfinder.remote.SshTarget;

/// The host and the port of the server, for a load that this host drives.
final class FarServerOptions {
    private static final int PORT_MAX = 65_535;

    @Mixin private ServerOption server = new ServerOption();

    @Option(
            names = "--server-port",
            paramLabel = "N",
            description =
                    "With --server: the port of the service there (default: the port to which the"
                            + " load goes).")
    private @Nullable String serverPort;

    /// @throws UsageException if both are there
    void excludes(String option, @Nullable Object value) {
        server.excludes(option, value);
    }

    /// Where the services of an experiment start; null without the option.
    ///
    /// @throws UsageException if there is a port, which the services choose
    @Nullable SshTarget ofExperiment() {
        refusePort("an experiment", "its services are watched whatever their ports");
        return server.target();
    }

    /// A running service without a load.
    ///
    /// @param named null without one
    /// @throws UsageException if there is a port, too
    ServerOption.Subject running(@Nullable SubjectOptions named) {
        refusePort("--port, --pid, --cgroup or a pod", "they name the service");
        return server.subject(named);
    }

    boolean isPod() {
        return server.isPod();
    }

    boolean isGiven() {
        return server.watched() != null;
    }

    private void refusePort(String with, String why) {
        if (serverPort != null) {
            throw new UsageException(
                    "--server-port cannot be used with " + with, why, "leave it out");
        }
    }

    /// @param port to which the load goes; 0 for a Unix socket
    /// @return null without the option
    /// @throws UsageException if nothing can be watched there
    @Nullable WatchSubject subject(int port) {
        if (server.watched() == null) {
            if (serverPort != null) {
                throw new UsageException(
                        "--server-port " + serverPort + " cannot be used",
                        "there is no --server, so nothing is watched on another host",
                        "add --server ssh:HOST");
            }
            return null;
        }
        if (serverPort != null) {
            return new WatchSubject.OfPort(Bounded.count("--server-port", serverPort, PORT_MAX));
        }
        if (port == 0) {
            throw new UsageException(
                    "--server cannot be used with a Unix socket",
                    "a Unix socket leads to a service on this host",
                    "leave --server out");
        }
        return new WatchSubject.OfPort(port);
    }

    /// Watches the server of a load.
    ///
    /// @param subject what to watch; null without the option
    /// @return null without the option
    @Nullable RemoteWatch watch(@Nullable WatchSubject subject, Progress progress) {
        return server.watch(subject, WatchedLoad.OURS, progress);
    }

    /// Watches a service under the load of others.
    ///
    /// @return null without the option
    @Nullable RemoteWatch watch(ServerOption.Subject running, Progress progress) {
        return server.watch(running.service(), WatchedLoad.OF_OTHERS, progress);
    }
}
