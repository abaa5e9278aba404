package wallfinder.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import wallfinder.lab.session.Session;
import wallfinder.linux.EnvironmentException;

/// Where the results of a measurement go.
final class FileOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "Also write run.json to FILE.")
    @Nullable Path json;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "The run's folder (default: runs/<time>-<name>).")
    @Nullable Path out;

    @Option(names = "--quiet", description = "Print no progress and no summary.")
    boolean quiet;

    @Option(names = "--no-live", description = "Draw no live view in the terminal.")
    boolean noLive;

    @Option(
            names = "--web",
            arity = "0..1",
            paramLabel = "PORT",
            parameterConsumer = WebPort.class,
            description =
                    "Also serve the live view to browsers on this host, on PORT or any that is"
                            + " free. At the end it becomes the report.")
    @Nullable Integer web;

    /// @throws EnvironmentException if `--json` cannot be written, before anything is measured
    Session.Options session(String engine) {
        checkWritable("--json", json);
        return new Session.Options(Console.home(), out, engine);
    }

    static void checkWritable(String option, @Nullable Path file) {
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
