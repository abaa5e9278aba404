package wallfinder.experiment;

import java.nio.file.Files;
import java.nio.file.Path;

/// What a request carries.
public sealed interface Body {
    /// A few words, in which variables such as `{counter}` may be, see [Template].
    record Text(String text) implements Body {}

    /// The bytes of a file, as they are.
    record File(Path path) implements Body {}

    /// A file that can be read.
    ///
    /// @throws UsageException if there is none
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
