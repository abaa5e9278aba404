package wallfinder.experiment;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads and changes the options of a service's JVM in its command.
///
/// If a command has several options of a kind, the last one counts. A change therefore removes all
/// of them, from `JDK_JAVA_OPTIONS` and `JAVA_TOOL_OPTIONS` too, and inserts the new one after
/// `java`.
public final class JvmOption {
    private static final String VERSION = "jvm";

    /// `{jvm}/bin/java`, `/usr/bin/java` or `java`, as a separate word.
    private static final Pattern JAVA = Pattern.compile("(?<![^\\s\"'])(\\S*/)?java(?=\\s)");

    /// The variable that every HotSpot JVM reads.
    public static final String TOOL_OPTIONS = "JAVA_TOOL_OPTIONS";

    private static final String[] VARIABLES = {"JDK_JAVA_OPTIONS", TOOL_OPTIONS};

    private static final String NAMING_ALL_CODE =
            "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints";

    private JvmOption() {}

    public enum Kind {
        /// The JVM's version, `jvm` of the service.
        VERSION(JvmOption.VERSION, ""),
        /// The maximum size of the heap.
        HEAP("heap", "-Xmx\\S+|-XX:MaxHeapSize=\\S+|-XX:MaxRAMPercentage=\\S+"),
        /// The garbage collector.
        COLLECTOR(
                "collector",
                "-XX:[+-]Use(Serial|Parallel(Old)?|G1|Z|Shenandoah|Epsilon|ConcMarkSweep|ParNew)GC"),
        /// Whether each object has a header of 8 bytes instead of 12 or 16.
        OBJECT_HEADERS("objectHeaders", "-XX:[+-]UseCompactObjectHeaders"),
        /// Whether a method is compiled quickly first, and well later.
        TIERS("tiers", "-XX:[+-]TieredCompilation"),
        /// The memory for compiled methods.
        CODE_CACHE("codeCache", "-XX:ReservedCodeCacheSize=\\S+"),
        /// Whether the heap asks for transparent huge pages.
        HUGE_PAGES("hugePages", "-XX:[+-]UseTransparentHugePages"),
        /// The number of carrier threads of virtual threads.
        CARRIERS("carriers", "-Djdk\\.virtualThreadScheduler\\.parallelism=\\S+");

        private final String word;
        private final Pattern pattern;

        Kind(String word, String options) {
            this.word = word;
            this.pattern = Pattern.compile("(?<=^|\\s)(" + options + ")(\\s+|$)");
        }

        /// The name of the setting, after the service's name.
        public String word() {
            return word;
        }
    }

    /// Whether the command of the service contains `java`, so that its options can be changed.
    public static boolean turnable(ServiceSpec service) {
        return JAVA.matcher(service.command()).find();
    }

    /// The value in the command or environment, or null if the JVM uses its default.
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

    private static Optional<String> found(String words, Kind kind) {
        Matcher matcher = kind.pattern.matcher(words);
        String last = null;
        while (matcher.find()) {
            last = matcher.group(1);
        }
        return Optional.ofNullable(last);
    }

    /// The experiment with JVMs that know at each instruction which method it belongs to. By
    /// default they know it only at calls and at the ends of loops, so a profiler takes an inlined
    /// method for its neighbour.
    public static Experiment namingAllCode(Experiment experiment) {
        Experiment changed = experiment;
        for (ServiceSpec service : experiment.services()) {
            changed = changed.with(namingAllCode(service));
        }
        return changed;
    }

    static ServiceSpec namingAllCode(ServiceSpec service) {
        Map<String, String> environment = new HashMap<>(service.env());
        environment.put(TOOL_OPTIONS, toolOptions(environment, System.getenv(), NAMING_ALL_CODE));
        return service.with(service.command(), service.jvm(), environment);
    }

    /// The value of [#TOOL_OPTIONS] with more options. A service without the variable inherits it.
    ///
    /// @param own what the service sets itself
    public static String toolOptions(
            Map<String, String> own, Map<String, String> inherited, String more) {
        String before = own.getOrDefault(TOOL_OPTIONS, inherited.getOrDefault(TOOL_OPTIONS, ""));
        return (before + " " + more).strip();
    }

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
