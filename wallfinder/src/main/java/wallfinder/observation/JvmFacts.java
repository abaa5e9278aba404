package wallfinder.observation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The JVM of a program, seen from outside. Without a class archive a JVM takes longer to start and
/// shares less memory, so start times and memory compare only between JVMs with an archive.
///
/// @param version from its `release` file, such as `25.0.3`
/// @param vendor from the same file
/// @param home its folder
/// @param archives the class archives in its folder, such as `classes.jsa`
/// @param options its options about archives, such as `-Xshare:off`
/// @param mapped the paths of the archives that it used; null if it ended before we looked
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

    /// `1.8.0_442` is 8, `17.0.15` is 17, `25-ea` is 25.
    ///
    /// @throws NumberFormatException if the version is unknown
    public static int majorOf(String version) {
        String[] parts = version.split("[._+-]");
        int first = Integer.parseInt(parts[0]);
        return first == 1 && parts.length > 1 ? Integer.parseInt(parts[1]) : first;
    }

    /// Its major version; 0 if it is unknown.
    public int major() {
        return version.isEmpty() || !Character.isDigit(version.charAt(0)) ? 0 : majorOf(version);
    }

    /// Whether it uses an archive, concluded from files and options if it was not seen.
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
