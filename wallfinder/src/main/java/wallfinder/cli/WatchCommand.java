package wallfinder.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import wallfinder.lab.agent.RemoteWatch;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.peer.WatchedLoad;
import wallfinder.lab.session.Session;
import wallfinder.record.RunRecord;

/// Watches a running service that others drive.
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        description = {
            "Watches a running service that others drive, and names its wall. Sends no load.",
            "",
            "Names a limit that stops the service for most of the time. The harm is unknown, because"
                    + " watch sees no client. To see both ends, drive the service from another"
                    + " host with load --server ssh:HOST. Without ssh, use load --peer FILE: FILE"
                    + " is the observation.json in the run's folder."
        },
        exitCodeList = {
            "0:the service was watched",
            "2:the command line is wrong",
            "3:the environment does not allow it",
            "130:interrupted; what was seen so far is kept"
        })
final class WatchCommand implements Callable<Integer> {
    @ArgGroup private @Nullable SubjectOptions subject;

    @Mixin private ServerOption server = new ServerOption();

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description =
                    "How long to watch, such as 30s (default: until Ctrl-C or the end of the"
                            + " service).")
    private @Nullable String duration;

    @Mixin private JudgementOptions judgement = new JudgementOptions();
    @Mixin private FileOptions files = new FileOptions();

    @Spec private CommandSpec spec;

    /// picocli sets the fields.
    @SuppressWarnings("NullAway.Init")
    WatchCommand() {}

    @Override
    public Integer call() throws IOException {
        Duration length = duration == null ? null : Bounded.duration("--duration", duration);
        ServerOption.Subject asked = server.subject(subject);
        OutputOptions output = new OutputOptions();
        output.files = files;
        Session.Options options = output.session();
        String command = Results.commandLine(spec);
        if (server.watched() != null) {
            return elsewhere(asked, length, output, command);
        }
        try (Watch watch = new Watch(Objects.requireNonNull(asked.service()));
                Console console = Console.live(files, command, true);
                Session session =
                        Session.openWithoutLoad(command, asked.name(), options, console)) {
            return finish(watch.run(length, session.context()), console, session, output);
        }
    }

    private int elsewhere(
            ServerOption.Subject asked,
            @Nullable Duration length,
            OutputOptions output,
            String command)
            throws IOException {
        try (Console console = Console.live(files, command, false);
                Session session =
                        Session.openWithoutLoad(command, asked.name(), output.session(), console);
                RemoteWatch watch = server.watch(asked.service(), WatchedLoad.OF_OTHERS, console)) {
            return finish(
                    Objects.requireNonNull(watch).run(length, session.context()),
                    console,
                    session,
                    output);
        }
    }

    private int finish(Watch.Result result, Console console, Session session, OutputOptions output)
            throws IOException {
        console.end();
        RunRecord record = session.record(List.of(result.trial()), List.of(), null, null);
        new Results(session, output, judgement.why).writeWatch(record, result);
        return session.interrupted() ? ExitCode.INTERRUPTED : ExitCode.DONE;
    }
}
