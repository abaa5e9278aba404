package wallfinder.experiment;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a service's JVM is started with, read from its command and turned in it.
///
/// An option stands between `java` and the program, where a later one of its kind would take its
/// place: so all of a kind go, and the new one comes first. Those in `JDK_JAVA_OPTIONS` and
/// `JAVA_TOOL_OPTIONS` go, too.
public final class JvmOption {
    private static final String VERSION = "jvm";

    /// `{jvm}/bin/java`, `/usr/bin/java` or `java`, as a word of its own.
    private static final Pattern JAVA = Pattern.compile("(?<![^\\s\"'])(\\S*/)?java(?=\\s)");

    private static final String[] VARIABLES = {"JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"};

    private JvmOption() {}

    /// What can be turned.
    public enum Kind {
        /// The JVM's version, `jvm` of the service.
        VERSION(JvmOption.VERSION, ""),
        /// The most that the heap may grow to.
        HEAP("heap", "-Xmx\\S+|-XX:MaxHeapSize=\\S+|-XX:MaxRAMPercentage=\\S+"),
        /// The garbage collector.
        COLLECTOR("collector", "-XX:[+-]Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC"),
        /// How many threads carry the virtual ones.
        CARRIERS("carriers", "-Djdk\\.virtualThreadScheduler\\.parallelism=\\S+");

        private final String word;
        private final Pattern pattern;

        Kind(String word, String options) {
            this.word = word;
            this.pattern = Pattern.compile("(?<=^|\\s)(" + options + ")(\\s+|$)");
        }

        /// What it is told by, behind the service's name.
        public String word() {
            return word;
        }
    }

    /// Whether the service is started by a command in which options can be turned.
    public static boolean turnable(ServiceSpec service) {
        return JAVA.matcher(service.command()).find();
    }

    /// The value as it is given, or null where it is left to the JVM.
    public static @Nullable String value(ServiceSpec service, Kind kind) {
        return kind == Kind.VERSION
                ? service.jvm()
                : found(service.command(), kind)
                        .or(() -> inVariables(service.env(), kind))
                        .orElse(null);
    }

    private static Optional<String> inVariables(Map<String, String> environment, Kind kind) {
        for (String variable : VARIABLES) {
            Optional<String> found = found(environment.getOrDefault(variable, ""), kind);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /// The last one counts.
    private static Optional<String> found(String words, Kind kind) {
        Matcher matcher = kind.pattern.matcher(words);
        String last = null;
        while (matcher.find()) {
            last = matcher.group(1);
        }
        return Optional.ofNullable(last);
    }

    /// The same service with another value.
    ///
    /// @param value for the version `25` or a path, else the whole option, such as `-Xmx256m`
    static ServiceSpec with(ServiceSpec old, Kind kind, String value) {
        String command = old.command();
        Map<String, String> environment = new HashMap<>(old.env());
        String jvm = kind == Kind.VERSION ? value : old.jvm();
        if (kind != Kind.VERSION) {
            command = turned(command, kind, value);
            for (String variable : VARIABLES) {
                environment.computeIfPresent(
                        variable, (name, words) -> kind.pattern.matcher(words).replaceAll(""));
            }
        }
        return old.with(command, jvm, environment);
    }

    private static String turned(String command, Kind kind, String option) {
        Matcher java = JAVA.matcher(command);
        if (!java.find()) {
            throw new IllegalArgumentException("no java in " + command);
        }
        String rest = kind.pattern.matcher(command.substring(java.end())).replaceAll("");
        return command.substring(0, java.end()) + " " + option + " " + rest.strip();
    }
}
