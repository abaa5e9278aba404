package wallfinder.lab.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.HostClock;
import wallfinder.linux.KernelFile;
import wallfinder.record.RunRecord;

/// Facts about this host that help to interpret the figures of a run.
public final class HostFacts {
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");

    private HostFacts() {}

    public static String name() {
        return line(Path.of("/proc/sys/kernel/hostname"));
    }

    /// Identifies one boot of this host's kernel; null if it is unknown.
    public static @Nullable String bootId() {
        String id = line(Path.of("/proc/sys/kernel/random/boot_id"));
        return id.isEmpty() ? null : id;
    }

    /// Converts an instant of [System#nanoTime] to nanoseconds since 1970 by this host's clock.
    public static long epochNanos(long nanoTime) {
        return HostClock.epochNanos() - (System.nanoTime() - nanoTime);
    }

    /// The error bound of this host's clock, or null if nothing synchronizes the clock.
    public static @Nullable Long clockErrorNanos() {
        OptionalLong error = HostClock.errorNanos();
        return error.isPresent() ? error.getAsLong() : null;
    }

    private static String line(Path file) {
        try {
            return KernelFile.read(file);
        } catch (IOException e) {
            return "";
        }
    }

    /// All that a run records.
    public static SortedMap<String, Object> read() {
        SortedMap<String, Object> facts = machine();
        facts.put("java", Runtime.version().toString());
        double memory = memoryBytes();
        if (memory > 0) {
            facts.put("memoryBytes", (long) memory);
        }
        facts.put(RunRecord.HOST_NAME, name());
        return facts;
    }

    /// What decides how fast this host is, as far as it is known.
    public static SortedMap<String, Object> machine() {
        SortedMap<String, Object> facts = new TreeMap<>();
        facts.put("os", System.getProperty("os.name"));
        facts.put("kernel", System.getProperty("os.version"));
        facts.put("arch", System.getProperty("os.arch"));
        facts.put("cpus", Runtime.getRuntime().availableProcessors());
        facts.put("cpuModel", field(CPUINFO, "model name"));
        return facts;
    }

    /// `NaN` if the kernel does not report it.
    public static double memoryBytes() {
        String kilobytes = field(MEMINFO, "MemTotal").replaceAll("\\D", "");
        return kilobytes.isEmpty() ? Double.NaN : Long.parseLong(kilobytes) * 1024.0;
    }

    /// The value of the first line that begins with the key, or the empty string.
    private static String field(Path file, String key) {
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }
}
