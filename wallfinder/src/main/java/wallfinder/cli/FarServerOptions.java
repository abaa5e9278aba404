package wallfinder.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.Progress;

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

    /// @throws UsageException if there is a server to watch, because an experiment starts its own
    void refuseWithExperiment() {
        if (server.target() != null || serverPort != null) {
            throw new UsageException(
                    "--server cannot be used with an experiment",
                    "the services of an experiment run in a sandbox on this host, which is watched",
                    "leave it out, or start the service there and give its URL");
        }
    }

    /// @param port to which the load goes; 0 for a Unix socket
    /// @return null without the option
    /// @throws UsageException if nothing can be watched there
    @Nullable WatchSubject subject(int port) {
        if (server.target() == null) {
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

    /// @param subject that of [#subject]
    /// @return null without the option
    @Nullable RemoteWatch watch(@Nullable WatchSubject subject, Progress progress) {
        return subject == null ? null : server.watch(subject, progress);
    }
}
