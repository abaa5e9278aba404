package wallfinder.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import wallfinder.lab.session.Session;
import wallfinder.linux.EnvironmentException;

/// Where results go, and what drives the load. Shared by all commands that drive one.
final class OutputOptions {
    @Mixin FileOptions files = new FileOptions();

    @Option(
            names = "--hlog",
            paramLabel = "FILE",
            description = "Also write the latencies to FILE, in HdrHistogram's log format.")
    @Nullable Path hlog;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            defaultValue = "auto",
            description = "auto, io_uring or epoll (default: ${DEFAULT-VALUE}).")
    String engine = "auto";

    /// @throws EnvironmentException if a file that is asked for cannot be written: that is told
    ///   before anything is measured
    Session.Options session() {
        FileOptions.checkWritable("--hlog", hlog);
        return files.session(engine);
    }

    /// Opens the run of a command.
    Session open(CommandSpec spec, String name, Console console) {
        return Session.open(Results.commandLine(spec), name, session(), console);
    }
}
