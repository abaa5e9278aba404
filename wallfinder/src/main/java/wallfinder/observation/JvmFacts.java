package wallfinder.observation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The JVM that a program ran in, as it was seen from outside. Without its archive of classes a JVM
/// takes longer to start and shares less memory, so figures of both compare only with it.
///
/// @param version as its `release` file tells it, such as `25.0.3`
/// @param vendor the one who built it
/// @param home its folder
/// @param archives the archives of classes that it has by itself, such as `classes.jsa`
/// @param options what it was given about archives, such as `-Xshare:off`
/// @param mapped the archives that it was seen to use, by their paths; null if it was gone before
///   anybody looked
public record JvmFacts(
        String version,
        String vendor,
        String home,
        List<String> archives,
        List<String> options,
        @Nullable List<String> mapped) {
    private static final String OFF = "-Xshare:off";

    public JvmFacts {
        archives = List.copyOf(archives);
        options = List.copyOf(options);
        mapped = mapped == null ? null : List.copyOf(mapped);
    }

    /// Whether it uses an archive: what was seen counts, else what it has and was given.
    public boolean usesArchive() {
        return mapped == null ? !archives.isEmpty() && !options.contains(OFF) : !mapped.isEmpty();
    }

    /// In words: `its default archive`, `app.jsa`, `no archive: -Xshare:off`.
    public String archive() {
        if (!usesArchive()) {
            return "no archive"
                    + (options.contains(OFF)
                            ? ": " + OFF
                            : archives.isEmpty() ? ": it has none" : "");
        }
        List<String> own =
                mapped == null
                        ? List.of()
                        : mapped.stream().filter(path -> !path.startsWith(home + "/")).toList();
        return own.isEmpty() ? "its default archive" : String.join(", ", own);
    }
}
