package wallfinder.junit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Finds the program `wallfinder`, which measures in a process of its own. In the JVM of the test
/// it would be one process with the service, and nobody could say whose CPU time is whose.
final class Program {
    static final String PARAMETER = "wallfinder.command";
    static final String VARIABLE = "WALLFINDER";

    private static final String NAME = "wallfinder";

    private Program() {}

    /// The first of: the configuration parameter or system property, the environment variable, the
    /// program on the PATH.
    ///
    /// @param configuration a configuration parameter of JUnit, which may be a system property
    /// @param environment a variable of the environment, or null
    static Path find(
            Function<String, Optional<String>> configuration,
            Function<String, @Nullable String> environment) {
        Optional<String> configured = configuration.apply(PARAMETER);
        if (configured.isPresent()) {
            return executable(configured.get(), "the property " + PARAMETER);
        }
        String variable = environment.apply(VARIABLE);
        if (variable != null) {
            return executable(variable, "the variable " + VARIABLE);
        }
        return onPath(NAME, environment)
                .orElseThrow(() ->
                        new WallfinderException(
                                "the program wallfinder was not found",
                                "neither the property %s nor the variable %s is set, and there is none on the PATH"
                                        .formatted(PARAMETER, VARIABLE),
                                "install Wallfinder, or set one of the two to the path of bin/wallfinder"));
    }

    /// `setpriv` asks the kernel to end a program when the thread that started it ends.
    static Path setpriv(Function<String, @Nullable String> environment) {
        return onPath("setpriv", environment)
                .orElseThrow(() ->
                        new WallfinderException(
                                "the measurement cannot be started",
                                "the program setpriv is not on the PATH; without it a measurement would go on after the tests are killed",
                                "install the package util-linux; Alpine: setpriv"));
    }

    private static Path executable(String path, String from) {
        Path program = Path.of(path).toAbsolutePath().normalize();
        if (!isProgram(program)) {
            throw new WallfinderException(
                    "the program wallfinder was not found",
                    "%s is %s, which is no executable file".formatted(from, path),
                    "set it to the path of bin/wallfinder");
        }
        return program;
    }

    private static Optional<Path> onPath(
            String name, Function<String, @Nullable String> environment) {
        String path = environment.apply("PATH");
        return Stream.of((path == null ? "" : path).split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name).toAbsolutePath())
                .filter(Program::isProgram)
                .findFirst();
    }

    private static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}
