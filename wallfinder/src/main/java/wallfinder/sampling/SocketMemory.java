package wallfinder.sampling;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;

/// What the sockets of a cgroup hold. Version 1 has a limit of its own for TCP; version 2 counts it
/// as memory like any other.
final class SocketMemory implements AutoCloseable {
    private static final byte[] SOCKETS = "sock".getBytes(StandardCharsets.US_ASCII);
    private static final String LIMIT = "memory.kmem.tcp.limit_in_bytes";
    private static final String PEAK = "memory.kmem.tcp.max_usage_in_bytes";

    private final boolean version1;
    private final SampledFile used;
    private final SampledFile limit;
    private final SampledFile peak;
    private @Nullable Path peakToReset;

    /// @param memory the folder of the memory controller (of its cgroup), or null
    /// @param own whether the most that it held may be told anew from the first look on, so that
    ///   what was before hides nothing
    SocketMemory(@Nullable Path memory, boolean version1, boolean own) {
        this.version1 = version1;
        peakToReset = own && version1 && memory != null ? memory.resolve(PEAK) : null;
        used = open(memory, version1 ? "memory.kmem.tcp.usage_in_bytes" : "memory.stat");
        limit = open(version1 ? memory : null, LIMIT);
        peak = open(version1 ? memory : null, PEAK);
    }

    private static SampledFile open(@Nullable Path folder, String name) {
        return folder == null ? SampledFile.missing() : new SampledFile(folder.resolve(name));
    }

    static List<Counter> counters(End end, String service, boolean version1) {
        String used = version1 ? "memory.kmem.tcp.usage_in_bytes" : "memory.stat";
        return List.of(
                CgroupFigure.TCP_MEMORY.of(service).at(end, used),
                CgroupFigure.TCP_MEMORY_LIMIT.of(service).at(end, LIMIT),
                CgroupFigure.TCP_MEMORY_PEAK.of(service).at(end, PEAK));
    }

    void read(double[] values, int from) {
        if (peakToReset != null) {
            reset(peakToReset);
            peakToReset = null;
        }
        values[from] = used.read() ? used() : Double.NaN;
        double bytes = limit.read() ? limit.text().number() : Double.NaN;
        values[from + 1] = bytes < CgroupLimits.UNLIMITED_BYTES ? bytes : Double.NaN;
        values[from + 2] = peak.read() ? peak.text().number() : Double.NaN;
    }

    private static void reset(Path peak) {
        try {
            Files.writeString(peak, "0", StandardOpenOption.WRITE);
        } catch (IOException e) {
            // Not there, or not for us: it tells of all the time that the group has been there.
        }
    }

    private double used() {
        return version1 ? used.text().number() : used.text().valueOf(SOCKETS);
    }

    @Override
    public void close() {
        used.close();
        limit.close();
        peak.close();
    }
}
