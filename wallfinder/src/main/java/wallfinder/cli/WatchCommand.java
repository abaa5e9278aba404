package wallfinder.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.Session;
import wallfinder.record.RunRecord;

/// Watches a service that runs, without a load of its own.
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        optionListHeading = "%nOptions:%n",
        description = {
            "Watches a service under the load it has and names its wall. No load of its own,"
                    + " nothing is changed.",
            "",
            "A limit that stops the service most of the time is named; whom it harms is not known,"
                    + " for no client is seen. Drive it from another host with load --peer FILE"
                    + " to join both ends: FILE is the observation.json in the run's folder."
        })
final class WatchCommand implements Callable<Integer> {
    private static final int PORT_MAX = 65_535;

    @ArgGroup(multiplicity = "1")
    private Subject subject = new Subject();

    /// One of them.
    private static final class Subject {
        @Option(
                names = "--pid",
                paramLabel = "N",
                description =
                        "A process and its descendants; also one in a container of this host.")
        @Nullable Long pid;

        @Option(
                names = "--port",
                paramLabel = "N",
                description = "Whoever listens on this TCP port here.")
        @Nullable Integer port;

        @Option(
                names = "--cgroup",
                paramLabel = "PATH",
                description =
                        "All processes of a cgroup, version 1 or 2: a folder under /sys/fs/cgroup,"
                                + " or the path in the tree, such as system.slice/nginx.service.")
        @Nullable String cgroup;
    }

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description = "How long, such as 30s (default: until Ctrl-C, or the service's end).")
    private @Nullable String duration;

    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private FileOptions files = new FileOptions();

    @Spec private CommandSpec spec;

    /// Filled by picocli.
    @SuppressWarnings("NullAway.Init")
    WatchCommand() {}

    @Override
    public Integer call() throws IOException {
        Duration length = duration == null ? null : Quantity.duration(duration);
        if (length != null && length.isZero()) {
            throw new UsageException(
                    "-d " + duration + " cannot be used",
                    "nothing is seen in no time",
                    "give some seconds, or leave it out and end it by Ctrl-C");
        }
        WatchSubject asked = subject();
        OutputOptions output = new OutputOptions();
        output.files = files;
        Session.Options options = output.session();
        Console console = new Console(files.quiet);
        try (Watch watch = new Watch(asked);
                Session session =
                        Session.openWithoutLoad(
                                Results.commandLine(spec), asked.describe(), options, console)) {
            Watch.Result result = watch.run(length, session.context());
            console.live("");
            RunRecord record = session.record(List.of(result.trial()), List.of(), null, null);
            new Results(session, output).tellWatch(record, result, judgement.why);
            return session.interrupted() ? ExitCode.INTERRUPTED : ExitCode.DONE;
        }
    }

    private WatchSubject subject() {
        if (subject.pid != null) {
            return new WatchSubject.OfPid(subject.pid);
        }
        Integer port = subject.port;
        if (port == null) {
            return new WatchSubject.OfCgroup(String.valueOf(subject.cgroup));
        }
        if (port < 1 || port > PORT_MAX) {
            throw new UsageException(
                    "--port " + port + " cannot be used",
                    "ports are numbers from 1 to " + PORT_MAX,
                    "see the ports that are listened on with ss -ltnp");
        }
        return new WatchSubject.OfPort(port);
    }
}
