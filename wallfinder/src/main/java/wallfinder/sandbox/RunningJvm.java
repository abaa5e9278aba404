package wallfinder.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import wallfinder.observation.JvmFacts;

/// Recognizes the JVM of a running process by its mapped files, the library and the archives
/// (`/proc/PID/maps`). This works for any vendor and any name of the launcher.
public final class RunningJvm {
    /// `HOME/lib/server/libjvm.so`; older JVMs have a folder for the architecture in between.
    private static final Pattern LIBRARY =
            Pattern.compile("(/.*)/lib/(?:[^/]+/)?[a-z0-9]+/libjvm\\.so");

    /// The path is the sixth column of `maps`.
    private static final Pattern MAPPED = Pattern.compile("\\S+ \\S+ \\S+ \\S+ \\d+ +(/.*)");

    private static final Pattern ARCHIVE = Pattern.compile(".*\\.(jsa|aot)");

    /// The options about archives (class data sharing, JEP 483).
    private static final Pattern OPTION =
            Pattern.compile("-Xshare:.*|-XX:(SharedArchiveFile|AOTCache|AOTMode)=.*");

    private static final List<String> VARIABLES =
            List.of("JDK_JAVA_OPTIONS=", "JAVA_TOOL_OPTIONS=", "_JAVA_OPTIONS=");

    private RunningJvm() {}

    /// The first JVM among some processes; empty if there is none, or if we may not inspect them.
    public static Optional<JvmFacts> of(Iterable<Long> pids) {
        for (long pid : pids) {
            Optional<JvmFacts> found = of(Path.of("/proc/" + pid));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /// The major version of a process's JVM; 0 if it is no JVM, or if we may not inspect it.
    public static int major(long pid) {
        return of(List.of(pid)).map(JvmFacts::major).orElse(0);
    }

    private static Optional<JvmFacts> of(Path process) {
        try {
            Set<String> mapped = mapped(process);
            for (String file : mapped) {
                Matcher library = LIBRARY.matcher(file);
                if (library.matches()) {
                    return Optional.of(facts(process, library.group(1), mapped));
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or belongs to another user
        }
    }

    private static Set<String> mapped(Path process) throws IOException {
        Set<String> files = new LinkedHashSet<>();
        for (String line : Files.readAllLines(process.resolve("maps"))) {
            Matcher matcher = MAPPED.matcher(line);
            if (matcher.matches()) {
                files.add(matcher.group(1));
            }
        }
        return files;
    }

    private static JvmFacts facts(Path process, String home, Set<String> mapped)
            throws IOException {
        List<String> options = options(process);
        List<String> archives = mapped.stream().filter(file -> isArchive(file, options)).toList();
        // In a container the path is relative to another root.
        Path seen = Path.of(process + "/root" + home);
        return Jvm.at(seen)
                .or(() -> Jvm.at(seen.resolve("..")))
                .map(jvm -> jvm.facts(home, options, archives))
                .orElseGet(() -> new JvmFacts("", "unknown", home, List.of(), options, archives));
    }

    private static boolean isArchive(String file, List<String> options) {
        String name = file.substring(file.lastIndexOf('/') + 1);
        return ARCHIVE.matcher(file).matches()
                || options.stream().anyMatch(o -> o.endsWith("=" + name) || o.endsWith("/" + name));
    }

    /// Options from environment variables and from the command line.
    private static List<String> options(Path process) throws IOException {
        Stream<String> variables =
                strings(process.resolve("environ"))
                        .filter(text -> VARIABLES.stream().anyMatch(text::startsWith))
                        .map(text -> text.substring(text.indexOf('=') + 1))
                        .flatMap(text -> Arrays.stream(text.strip().split("\\s+")));
        return options(Stream.concat(variables, strings(process.resolve("cmdline"))));
    }

    /// The options about archives among the words of a command.
    static List<String> options(Stream<String> words) {
        return words.filter(word -> OPTION.matcher(word).matches()).toList();
    }

    private static Stream<String> strings(Path file) throws IOException {
        return Arrays.stream(
                new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\0"));
    }
}
