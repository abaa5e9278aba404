package wallfinder.sampling;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;

/// The maximum heap of a JVM, from the options of its start. Ignores argument files (`@FILE`).
///
/// @param setBy the option, or the JVM's own rule
/// @param source the file of `/proc` that has the option
record JvmHeap(double bytes, String setBy, String source) {
    private static final int BYTES_MAX = 1 << 20;

    /// The JDK's rule: half of the memory (`MinRAMPercentage`) if that is less than this. Otherwise
    /// a quarter (`MaxRAMPercentage`), but at least this.
    private static final double SMALL_HEAP_BYTES = 126 << 20;

    private static final double MIN_PERCENT = 50;
    private static final double MAX_PERCENT = 25;

    /// Where options come from; later places override earlier ones; null is the command line.
    private static final List<@Nullable String> PLACES = places();

    private static List<@Nullable String> places() {
        List<@Nullable String> places = new ArrayList<>();
        places.add("JAVA_TOOL_OPTIONS");
        places.add("JDK_JAVA_OPTIONS");
        places.add(null);
        places.add("_JAVA_OPTIONS");
        return places;
    }

    /// Empty if the process is not a JVM or cannot be read.
    ///
    /// @param memoryBytes the memory that the JVM sees
    static Optional<JvmHeap> of(int pid, double memoryBytes) {
        List<String> command = words(Path.of("/proc/" + pid + "/cmdline"));
        if (command.isEmpty() || !command.getFirst().matches("(.*/)?java")) {
            return Optional.empty();
        }
        List<String> environment = words(Path.of("/proc/" + pid + "/environ"));
        return Optional.of(of(pid, command, environment, memoryBytes));
    }

    static JvmHeap of(int pid, List<String> command, List<String> environment, double memory) {
        String rule = "the JVM's own rule";
        JvmHeap least = new JvmHeap(memory * MIN_PERCENT / 100, rule, "/proc/" + pid + "/cmdline");
        JvmHeap most = new JvmHeap(memory * MAX_PERCENT / 100, rule, least.source);
        JvmHeap size = null;
        for (String place : PLACES) {
            String source = "/proc/" + pid + (place == null ? "/cmdline" : "/environ");
            String where = place == null ? "" : " in " + place;
            for (String option : place == null ? options(command) : given(place, environment)) {
                double bytes = size(option);
                if (bytes > 0) {
                    size = new JvmHeap(bytes, option + where, source);
                }
                double min = after("-XX:MinRAMPercentage=", option);
                if (min > 0) {
                    least = new JvmHeap(memory * min / 100, option + where, source);
                }
                double max = after("-XX:MaxRAMPercentage=", option);
                if (max > 0) {
                    most = new JvmHeap(memory * max / 100, option + where, source);
                }
            }
        }
        if (size != null) {
            return size;
        }
        return least.bytes < SMALL_HEAP_BYTES
                ? least
                : new JvmHeap(Math.max(most.bytes, SMALL_HEAP_BYTES), most.setBy, most.source);
    }

    /// The options before the class or the jar. The words after that belong to the program.
    private static List<String> options(List<String> command) {
        List<String> options = new ArrayList<>();
        boolean value = false;
        for (String word : command.subList(1, command.size())) {
            if (!value && (!word.startsWith("-") || word.equals("-jar") || word.equals("-m"))) {
                return options;
            }
            value =
                    !value
                            && List.of("-cp", "-classpath", "--class-path", "-p", "--module-path")
                                    .contains(word);
            options.add(word);
        }
        return options;
    }

    private static List<String> given(String name, List<String> environment) {
        for (String entry : environment) {
            if (entry.startsWith(name + "=")) {
                return List.of(entry.substring(name.length() + 1).strip().split("\\s+"));
            }
        }
        return List.of();
    }

    private static double size(String option) {
        for (String prefix : List.of("-Xmx", "-XX:MaxHeapSize=")) {
            if (option.startsWith(prefix)) {
                try {
                    return Quantity.bytes(option.substring(prefix.length()));
                } catch (UsageException e) {
                    return Double.NaN; // a JVM does not start with this value
                }
            }
        }
        return Double.NaN;
    }

    private static double after(String prefix, String option) {
        try {
            return option.startsWith(prefix)
                    ? Double.parseDouble(option.substring(prefix.length()))
                    : Double.NaN;
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    /// The parts of a file between zero bytes.
    private static List<String> words(Path file) {
        try (var in = Files.newInputStream(file)) {
            String all = new String(in.readNBytes(BYTES_MAX), StandardCharsets.UTF_8);
            return List.of(all.split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }
}
