package wallfinder.sampling;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Quantity;
import wallfinder.experiment.UsageException;

/// The maximum heap of a JVM, from the options of its start. Ignores argument files (`@FILE`).
///
/// @param setBy the option, or the JVM's own rule
/// @param source the file of `/proc` that has the option
record JvmHeap(double bytes, String setBy, String source) {
    private static final int BYTES_MAX = 1 << 20;
    private static final double GIB = 1 << 30;
    private static final String RULE = "the JVM's own rule";

    /// The JDK's rule (`Arguments::set_heap_size`, src/hotspot/share/runtime/arguments.cpp): half
    /// of the memory (`MinRAMPercentage`) if that is less than this. Otherwise a quarter
    /// (`MaxRAMPercentage`), but at least this.
    private static final double SMALL_HEAP_BYTES = 126 << 20;

    private static final double MIN_PERCENT = 50;
    private static final double MAX_PERCENT = 25;

    /// The JVM counts no more memory than this without an option that [#MEMORY] names.
    private static final double MEMORY_MAX_BYTES = 128 * GIB;

    /// Compressed references reach about this many bytes. With an option that [#MEMORY] names, the
    /// JVM gives them up for a larger heap.
    private static final double COMPRESSED_HEAP_BYTES = 30 * GIB;

    /// The options that size the heap by the memory. Java 25 does not start with a fraction.
    private static final Pattern MEMORY =
            Pattern.compile("MaxRAM|(Max|Min|Initial)RAM(Percentage|Fraction)");

    private static final Pattern SWITCH = Pattern.compile("-XX:([+-])(\\w+)");
    private static final Pattern VALUE = Pattern.compile("(-Xms|-Xmx|-XX:\\w+=)(.+)");

    /// The options of the launcher whose value is the next word (`IsWhiteSpaceOption`,
    /// src/java.base/share/native/libjli/java.c).
    private static final Set<String> BEFORE_A_VALUE =
            Set.of(
                    "-cp",
                    "-classpath",
                    "--class-path",
                    "-p",
                    "--module-path",
                    "--upgrade-module-path",
                    "--add-modules",
                    "--limit-modules",
                    "--add-exports",
                    "--add-opens",
                    "--add-reads",
                    "--patch-module",
                    "--enable-native-access",
                    "--source");

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
        Map<String, Option> given = new HashMap<>();
        for (String place : PLACES) {
            String source = "/proc/" + pid + (place == null ? "/cmdline" : "/environ");
            String where = place == null ? "" : " in " + place;
            for (String word : place == null ? options(command) : given(place, environment)) {
                read(word, word + where, source, given);
            }
        }
        Option size = given.get("MaxHeapSize");
        if (size != null) {
            return size.heap(size.value);
        }
        JvmHeap heap = byRule(given, new Option(memory, RULE, "/proc/" + pid + "/cmdline"));
        for (String name : List.of("InitialHeapSize", "MinHeapSize")) {
            Option first = given.get(name);
            if (first != null && first.value > heap.bytes) {
                heap = first.heap(first.value);
            }
        }
        return heap;
    }

    /// @param memory the memory that the JVM sees
    private static JvmHeap byRule(Map<String, Option> given, Option memory) {
        boolean chosen = given.keySet().stream().anyMatch(name -> MEMORY.matcher(name).matches());
        Option ram = given.getOrDefault("MaxRAM", memory);
        double bytes = chosen ? ram.value : Math.min(memory.value, MEMORY_MAX_BYTES);
        JvmHeap least = share(given, "MinRAM", ram.heap(bytes), MIN_PERCENT);
        JvmHeap most = share(given, "MaxRAM", ram.heap(bytes), MAX_PERCENT);
        JvmHeap heap =
                least.bytes < SMALL_HEAP_BYTES
                        ? least
                        : most.with(Math.max(most.bytes, SMALL_HEAP_BYTES));
        boolean compressed =
                !isOn(given, "UseZGC", false) && isOn(given, "UseCompressedOops", !chosen);
        return compressed && heap.bytes > COMPRESSED_HEAP_BYTES
                ? memory.heap(COMPRESSED_HEAP_BYTES)
                : heap;
    }

    /// @param memory the memory, and what sets the heap without a share
    private static JvmHeap share(
            Map<String, Option> given, String name, JvmHeap memory, double percent) {
        Option percentage = given.get(name + "Percentage");
        Option fraction = given.get(name + "Fraction");
        if (percentage != null) {
            return percentage.heap(memory.bytes * percentage.value / 100);
        }
        return fraction != null
                ? fraction.heap(memory.bytes / fraction.value)
                : memory.with(memory.bytes * percent / 100);
    }

    private static boolean isOn(Map<String, Option> given, String name, boolean byDefault) {
        Option option = given.get(name);
        return option == null ? byDefault : option.value > 0;
    }

    private JvmHeap with(double otherBytes) {
        return new JvmHeap(otherBytes, setBy, source);
    }

    /// @param value of a switch: 1 for on, 0 for off
    private record Option(double value, String setBy, String source) {
        JvmHeap heap(double bytes) {
            return new JvmHeap(bytes, setBy, source);
        }
    }

    /// Adds an option under its name without `-XX:`. A later one replaces it.
    private static void read(String word, String setBy, String source, Map<String, Option> to) {
        Matcher turned = SWITCH.matcher(word);
        Matcher valued = VALUE.matcher(word);
        if (turned.matches()) {
            double value = turned.group(1).equals("+") ? 1 : 0;
            to.put(turned.group(2), new Option(value, setBy, source));
        } else if (valued.matches() && number(valued.group(2)) > 0) {
            String prefix = valued.group(1);
            String name =
                    switch (prefix) {
                        case "-Xms" -> "InitialHeapSize";
                        case "-Xmx" -> "MaxHeapSize";
                        default -> prefix.substring("-XX:".length(), prefix.length() - 1);
                    };
            to.put(name, new Option(number(valued.group(2)), setBy, source));
        }
    }

    /// A percentage, a number or a size; `NaN` for what is no number.
    private static double number(String text) {
        try {
            return text.matches("[0-9.]+") ? Double.parseDouble(text) : Quantity.bytes(text);
        } catch (NumberFormatException | UsageException e) {
            return Double.NaN;
        }
    }

    /// The options before the class or the jar. The words after that belong to the program.
    private static List<String> options(List<String> command) {
        List<String> options = new ArrayList<>();
        boolean value = false;
        for (String word : command.subList(1, command.size())) {
            if (!value && (!word.startsWith("-") || word.matches("-jar|-m|--module(=.*)?"))) {
                return options;
            }
            value = !value && BEFORE_A_VALUE.contains(word);
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
