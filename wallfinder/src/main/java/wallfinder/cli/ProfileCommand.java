package wallfinder.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.Session;
import wallfinder.record.RunRecord;
import wallfinder.report.Terminal;

/// Shows what the CPUs do for a running service.
@Command(
        name = "profile",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what the CPUs do for a running service: which packages and methods of a JVM,"
                    + " garbage collection, JIT compilers, the kernel. Sends no load.",
            "",
            "A JVM loads async-profiler for this, and keeps it loaded until it ends. Where it"
                    + " cannot, a JVM from 25 on uses its own Flight Recorder."
        },
        exitCodeList = {
            "0:the service was profiled",
            "2:the command line is wrong",
            "3:the environment does not allow it",
            "130:interrupted; what was seen so far is kept"
        })
final class ProfileCommand implements Callable<Integer> {
    @ArgGroup(multiplicity = "1")
    private SubjectOptions subject = new SubjectOptions();

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description =
                    "How long, such as 30s (default: ${DEFAULT-VALUE}). Each second is a window; the"
                            + " intervals come from the differences between the windows.",
            defaultValue = "10s")
    private String duration;

    @Mixin private FileOptions files = new FileOptions();

    @Spec private CommandSpec spec;

    /// picocli sets the fields.
    @SuppressWarnings("NullAway.Init")
    ProfileCommand() {}

    @Override
    public Integer call() throws IOException {
        Duration length = Bounded.duration("--duration", duration);
        WatchSubject asked = subject.subject();
        OutputOptions output = new OutputOptions();
        output.files = files;
        Session.Options options = output.session();
        Console console = new Console(files.quiet);
        try (Watch watch = Watch.profiling(asked);
                Session session =
                        Session.openWithoutLoad(
                                Results.commandLine(spec), asked.describe(), options, console)) {
            Watch.Result result = watch.run(length, session.context());
            console.live("");
            RunRecord record = session.record(List.of(result.trial()), List.of(), null, null);
            new Results(session, output, false).write(record, Terminal::profile);
            return session.interrupted() ? ExitCode.INTERRUPTED : ExitCode.DONE;
        }
    }
}
