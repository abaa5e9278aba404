package wallfinder.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import wallfinder.lab.session.Session;

/// Where results go, and which engine drives the load: for all commands with a load.
final class OutputOptions {
    @Mixin FileOptions files = new FileOptions();
    @Mixin CiOptions ci = new CiOptions();

    @Option(
            names = "--hlog",
            paramLabel = "FILE",
            description = "Also write the latencies to FILE, in HdrHistogram's log format.")
    @Nullable Path hlog;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            defaultValue = "auto",
            description =
                    "What the generator uses: io_uring, epoll, or auto (io_uring if it works)"
                            + " (default: ${DEFAULT-VALUE}).")
    String engine = "auto";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /// picocli sets the command.
    @SuppressWarnings("NullAway.Init")
    OutputOptions() {}

    Session.Options session() {
        FileOptions.checkWritable("--hlog", hlog);
        return files.session(engine);
    }

    /// Refuses what cannot be written, before anything is measured or shown.
    Console console() {
        ci.check(command.name(), System.getenv());
        ci.begin();
        return Console.live(files, commandLine(), false);
    }

    Session open(String name, Console console) {
        return Session.open(commandLine(), name, session(), console);
    }

    String commandLine() {
        return Results.commandLine(command);
    }
}
