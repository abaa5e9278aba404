package wallfinder.junit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.extension.ExtensionContext;

/// The measurements of one test: their program, their files, and what they found.
final class Measurements {
    static final String WHEN_INVALID = "wallfinder.invalid";

    private static final int LOG_CHARS_MAX = 4_000;

    private final ExtensionContext context;
    private final AtomicInteger number = new AtomicInteger();
    private final AtomicReference<Path> folder = new AtomicReference<>();
    private final List<Result> results = new CopyOnWriteArrayList<>();

    Measurements(ExtensionContext context) {
        this.context = context;
    }

    /// @throws WallfinderException if the configuration parameter has another value
    WhenInvalid whenInvalid() {
        String word = context.getConfigurationParameter(WHEN_INVALID).orElse("abort");
        WhenInvalid found = Words.constant(WhenInvalid.class, word);
        if (found == null || found == WhenInvalid.RETURN) {
            throw new WallfinderException(
                    "the configuration parameter %s cannot be '%s'".formatted(WHEN_INVALID, word),
                    "it says what becomes of a test whose measurement is invalid",
                    "set it to abort or fail");
        }
        return found;
    }

    /// A path in the test's output folder that nothing has yet.
    Path unused(String name, String end) {
        Path path;
        do {
            path = folder().resolve(number.incrementAndGet() + "-" + name + end);
        } while (Files.exists(path));
        return path;
    }

    /// JUnit gives each test its own folder, and reports it.
    private synchronized Path folder() {
        if (folder.get() == null) {
            context.publishDirectory("wallfinder", folder::set);
        }
        return folder.get();
    }

    /// Runs the program.
    ///
    /// @param folder the run's folder
    /// @return the exit code
    int program(Path folder, List<String> words, Duration timeMax) {
        Path program = Program.find(context::getConfigurationParameter, System::getenv);
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("--quiet", "--out", folder.toString()));
        return ProgramRun.run(program, all, folder, log(folder), timeMax);
    }

    /// The error that the program printed.
    WallfinderException failure(Path folder, int exit) {
        Path log = log(folder);
        try {
            String text = Files.readString(log, StandardCharsets.UTF_8).strip();
            String end = text.substring(Math.max(0, text.length() - LOG_CHARS_MAX));
            return new WallfinderException("wallfinder ended with exit code " + exit + "\n" + end);
        } catch (IOException e) {
            return new WallfinderException(
                    "wallfinder ended with exit code " + exit,
                    "what it printed cannot be read: " + e,
                    "run the command by hand");
        }
    }

    private static Path log(Path folder) {
        return folder.resolveSibling(folder.getFileName() + ".log");
    }

    /// Keeps a result that the test goes on with, and reports it.
    void add(Result result) {
        results.add(result);
        context.publishReportEntry(
                Map.of(
                        "wallfinder", result.figures(),
                        "wall", result.trial().diagnosis().text(),
                        "report", result.run().report().toString()));
    }

    List<Result> results() {
        return List.copyOf(results);
    }
}
