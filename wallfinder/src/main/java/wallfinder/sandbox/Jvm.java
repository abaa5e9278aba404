package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.observation.JvmFacts;

/// A JVM of this host.
///
/// @param home the folder with `bin/java`
/// @param version from its `release` file, such as `25.0.3`
/// @param vendor from the same file
public record Jvm(Path home, int major, String version, String vendor) {
    /// The image type of the Java in a package of Wallfinder (`bin/package`). Services do not run
    /// on it, because it has only the modules that Wallfinder itself needs.
    private static final String OF_A_PACKAGE = "WALLFINDER";

    /// A JVM and all places where it was found, such as `JAVA_HOME` or `/usr/lib/jvm`.
    public record Found(Jvm jvm, List<String> from) {}

    /// All JVMs of this host, the newest first.
    public static List<Jvm> onThisHost() {
        return foundOnThisHost().stream().map(Found::jvm).toList();
    }

    /// All JVMs of this host with the places where they were found, the newest first.
    public static List<Found> foundOnThisHost() {
        return in(JvmPlaces.ofThisHost(System.getenv(), Path.of(System.getProperty("user.home"))));
    }

    static List<Found> in(JvmPlaces places) {
        Map<Path, Jvm> jvms = new TreeMap<>();
        Map<Path, Set<String>> from = new TreeMap<>();
        for (JvmPlaces.Place place : places.all()) {
            at(place.folder())
                    .ifPresent(jvm -> {
                        jvms.putIfAbsent(jvm.home(), jvm);
                        from.computeIfAbsent(jvm.home(), home -> new LinkedHashSet<>())
                                .add(place.name());
                    });
        }
        return jvms.values().stream()
                .sorted(Comparator.comparingInt(Jvm::major).reversed())
                .map(jvm -> new Found(jvm, List.copyOf(from.getOrDefault(jvm.home(), Set.of()))))
                .toList();
    }

    /// The JVM in a folder, if there is one.
    public static Optional<Jvm> at(Path folder) {
        try {
            Path home = folder.toRealPath();
            if (!Files.isExecutable(home.resolve("bin/java"))) {
                return Optional.empty();
            }
            Properties release = new Properties();
            try (var reader = Files.newBufferedReader(home.resolve("release"))) {
                release.load(reader);
            }
            if (OF_A_PACKAGE.equals(release.getProperty("IMAGE_TYPE"))) {
                return Optional.empty();
            }
            String version = unquoted(release.getProperty("JAVA_VERSION", ""));
            String vendor = unquoted(release.getProperty("IMPLEMENTOR", "unknown"));
            return Optional.of(new Jvm(home, JvmFacts.majorOf(version), version, vendor));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /// The class archives in the JVM's folder. Without one, the JVM loads and verifies its own
    /// classes at each start.
    public List<String> archives() {
        return JvmPlaces.children(home.resolve("lib/server"), "*.jsa").stream()
                .map(archive -> String.valueOf(archive.getFileName()))
                .sorted()
                .toList();
    }

    /// The facts of a JVM that was not seen running.
    ///
    /// @param words the command that starts it
    public JvmFacts facts(List<String> words) {
        return new JvmFacts(
                version,
                vendor,
                home.toString(),
                archives(),
                RunningJvm.options(words.stream()),
                null);
    }

    /// The facts of a running JVM.
    ///
    /// @param seenAt the JVM's folder as its process sees it
    JvmFacts facts(String seenAt, List<String> options, List<String> mapped) {
        return new JvmFacts(version, vendor, seenAt, archives(), options, mapped);
    }

    private static String unquoted(String text) {
        return text.replace("\"", "").strip();
    }

    /// The JVM that a service asks for.
    ///
    /// @param asked a major version, a path, or null for our own; the newest of this host if our
    ///   own is that of a package
    public static Jvm of(@Nullable String asked) {
        return of(asked, onThisHost());
    }

    static Jvm of(@Nullable String asked, List<Jvm> found) {
        if (asked == null) {
            Path own = Path.of(System.getProperty("java.home"));
            return at(own).or(() -> found.stream().findFirst())
                    .orElseGet(() -> new Jvm(own, Runtime.version().feature(), "", ""));
        }
        if (!asked.matches("\\d+")) {
            return at(Path.of(asked))
                    .orElseThrow(() -> missing(asked, "that folder contains no JVM", found));
        }
        int major = Integer.parseInt(asked);
        return found.stream()
                .filter(jvm -> jvm.major() == major)
                .findFirst()
                .orElseThrow(() -> missing(asked, "none of that version was found", found));
    }

    private static UsageException missing(String asked, String why, List<Jvm> found) {
        String list =
                found.stream()
                        .map(jvm -> jvm.major() + " (" + jvm.home() + ")")
                        .collect(Collectors.joining(", "));
        return new UsageException(
                "there is no JVM " + asked,
                why + "; found: " + (list.isEmpty() ? "none" : list),
                "use one of these, give a path, or get one (bin/get-jvm 17, apt-get install"
                        + " openjdk-17-jdk, or a build from https://adoptium.net under /opt)");
    }
}
