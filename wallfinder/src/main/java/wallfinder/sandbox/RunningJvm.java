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

/// The JVM in which a process runs, looked at from outside: its library and its archives are mapped
/// files (`/proc/PID/maps`), whoever built it and whatever its launcher is called.
public final class RunningJvm {
    /// `HOME/lib/server/libjvm.so`; older ones have a folder for the processor between.
    private static final Pattern LIBRARY =
            Pattern.compile("(/.*)/lib/(?:[^/]+/)?[a-z0-9]+/libjvm\\.so");

    /// Behind five columns of a line of `maps`.
    private static final Pattern MAPPED = Pattern.compile("\\S+ \\S+ \\S+ \\S+ \\d+ +(/.*)");

    private static final Pattern ARCHIVE = Pattern.compile(".*\\.(jsa|aot)");

    /// What decides about archives (class data sharing, JEP 483).
    private static final Pattern OPTION =
            Pattern.compile("-Xshare:.*|-XX:(SharedArchiveFile|AOTCache|AOTMode)=.*");

    private static final List<String> VARIABLES =
            List.of("JDK_JAVA_OPTIONS=", "JAVA_TOOL_OPTIONS=", "_JAVA_OPTIONS=");

    private RunningJvm() {}

    /// The first JVM among some processes; empty if there is none, or if they are not ours to look
    /// into.
    public static Optional<JvmFacts> of(Iterable<Long> pids) {
        for (long pid : pids) {
            Optional<JvmFacts> found = of(Path.of("/proc/" + pid));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
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
            return Optional.empty(); // it has ended, or belongs to somebody else
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
        // A container has another root, where the same path is another folder.
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

    /// Those that a variable gives it, and those of its command line.
    private static List<String> options(Path process) throws IOException {
        Stream<String> variables =
                strings(process.resolve("environ"))
                        .filter(text -> VARIABLES.stream().anyMatch(text::startsWith))
                        .map(text -> text.substring(text.indexOf('=') + 1))
                        .flatMap(text -> Arrays.stream(text.strip().split("\\s+")));
        return options(Stream.concat(variables, strings(process.resolve("cmdline"))));
    }

    /// Those of some words that decide about archives.
    static List<String> options(Stream<String> words) {
        return words.filter(word -> OPTION.matcher(word).matches()).toList();
    }

    private static Stream<String> strings(Path file) throws IOException {
        return Arrays.stream(
                new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\0"));
    }
}
