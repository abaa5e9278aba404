package wallfinder.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// The names of the `-XX` options that a JVM has.
public final class JvmFlags {
    private static final int SECONDS_MAX = 30;

    private JvmFlags() {}

    /// @return empty if the JVM does not say
    public static Set<String> of(Path home) {
        Set<String> names = new HashSet<>();
        try {
            Process java =
                    new ProcessBuilder(
                                    home.resolve("bin/java").toString(),
                                    "-XX:+PrintFlagsFinal",
                                    "-version")
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            try (var lines = java.inputReader(StandardCharsets.UTF_8)) {
                // `     bool UseG1GC         = true        {product} {ergonomic}`
                lines.lines()
                        .map(line -> line.strip().split("\\s+"))
                        .filter(words -> words.length > 2 && words[2].contains("="))
                        .forEach(words -> names.add(words[1]));
            } finally {
                if (!java.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                    java.destroyForcibly();
                }
            }
        } catch (IOException e) {
            return Set.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Set.copyOf(names);
    }
}
