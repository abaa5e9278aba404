package wallfinder.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.lab.Session;
import wallfinder.linux.EnvironmentException;

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

    /// @throws EnvironmentException if a file that is asked for cannot be written: that is told
    ///   before anything is measured
    Session.Options session() {
        checkWritable("--json", json);
        checkWritable("--hlog", hlog);
        return new Session.Options(Console.home(), out, engine);
    }

    private static void checkWritable(String option, @Nullable Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        String why =
                Files.isDirectory(file)
                        ? "it is a folder"
                        : folder == null || !Files.isDirectory(folder)
                                ? "there is no folder " + folder
                                : Files.isWritable(Files.exists(file) ? file : folder)
                                        ? ""
                                        : "this user may not write there";
        if (!why.isEmpty()) {
            throw new EnvironmentException(
                    option + " " + file + " cannot be written", why, "name another file");
        }
    }
}
