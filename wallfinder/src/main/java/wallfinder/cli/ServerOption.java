package wallfinder.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.experiment.UsageException;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.Progress;
import wallfinder.remote.SshTarget;

/// The host on which the server runs, if it is another one.
final class ServerOption {
    private static final String NAME = "--server";

    @Option(
            names = NAME,
            paramLabel = "ssh:[USER@]HOST",
            description =
                    "The server's host, if it is another one: watch the service there, by your ssh,"
                            + " or start the services of the experiment there. The first time,"
                            + " Wallfinder copies itself there.")
    private @Nullable String server;

    @Nullable SshTarget target() {
        return server == null ? null : SshTarget.parse(NAME, server);
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

    /// @return null without the option
    @Nullable RemoteWatch watch(WatchSubject subject, Progress progress) {
        SshTarget target = target();
        return target == null
                ? null
                : RemoteWatch.start(target, subject, Console.home(), Version.number(), progress);
    }
}
