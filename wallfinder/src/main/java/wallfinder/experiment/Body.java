package wallfinder.experiment;

import java.nio.file.Files;
import java.nio.file.Path;

/// The body of a request.
public sealed interface Body {
    /// A text that may contain variables such as `{counter}`, see [Template].
    record Text(String text) implements Body {}

    /// The unchanged bytes of a file.
    record File(Path path) implements Body {}

    /// @throws UsageException if the file cannot be read
    static File file(Path path) {
        String problem =
                !Files.exists(path)
                        ? "there is no such file"
                        : !Files.isRegularFile(path)
                                ? "it is not a plain file"
                                : Files.isReadable(path) ? "" : "you may not read it";
        if (!problem.isEmpty()) {
            throw new UsageException(
                    "the body cannot be read from " + path, problem, "name another file");
        }
        return new File(path);
    }
}
