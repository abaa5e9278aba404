package wallfinder.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.lab.Session;

/// Where results go. Shared by all commands that measure.
final class OutputOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "Also write run.json to FILE.")
    @Nullable Path json;

    @Option(
            names = "--hlog",
            paramLabel = "FILE",
            description = "Also write the latencies to FILE, in HdrHistogram's log format.")
    @Nullable Path hlog;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The run's folder (default: runs/<time>-<name>).")
    @Nullable Path out;

    @Option(
            names = "--quiet",
            description = "No progress and no summary: only files and the exit code.")
    boolean quiet;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            defaultValue = "auto",
            description = "auto, io_uring or epoll (default: ${DEFAULT-VALUE}).")
    String engine = "auto";

    Session.Options session() {
        return new Session.Options(Console.home(), out, engine);
    }
}
