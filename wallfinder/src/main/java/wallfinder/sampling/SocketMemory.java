package wallfinder.sampling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;

/// The memory of a cgroup's sockets. Version 1 has a separate limit for TCP; version 2 counts it
/// like any other memory.
final class SocketMemory implements AutoCloseable {
    private static final byte[] SOCKETS = KernelText.key("sock");
    private static final String USED_1 = "memory.kmem.tcp.usage_in_bytes";
    private static final String USED_2 = "memory.stat";
    private static final String LIMIT = "memory.kmem.tcp.limit_in_bytes";
    private static final String PEAK = "memory.kmem.tcp.max_usage_in_bytes";

    private final boolean version1;
    private final SampledFile used;
    private final SampledFile limit;
    private final SampledFile peak;
    private @Nullable Path peakToReset;

    /// @param memory the cgroup's folder of the memory controller, or null
    /// @param own whether the first reading may reset the peak, so that it covers only the
    ///   measurement
    SocketMemory(@Nullable Path memory, boolean version1, boolean own) {
        this.version1 = version1;
        peakToReset = own && version1 && memory != null ? memory.resolve(PEAK) : null;
        used = SampledFile.in(memory, version1 ? USED_1 : USED_2);
        limit = SampledFile.in(version1 ? memory : null, LIMIT);
        peak = SampledFile.in(version1 ? memory : null, PEAK);
    }

    static List<Counter> counters(End end, String service, boolean version1) {
        return List.of(
                CgroupFigure.TCP_MEMORY.of(service).at(end, version1 ? USED_1 : USED_2),
                CgroupFigure.TCP_MEMORY_LIMIT.of(service).at(end, LIMIT),
                CgroupFigure.TCP_MEMORY_PEAK.of(service).at(end, PEAK));
    }

    void read(double[] values, int from) {
        if (peakToReset != null) {
            reset(peakToReset);
            peakToReset = null;
        }
        values[from] = version1 ? used.number() : used.valueOf(SOCKETS);
        double bytes = limit.number();
        values[from + 1] = bytes < CgroupLimits.UNLIMITED_BYTES ? bytes : Double.NaN;
        values[from + 2] = peak.number();
    }

    private static void reset(Path peak) {
        try {
            Files.writeString(peak, "0", StandardOpenOption.WRITE);
        } catch (IOException e) {
            // Missing, or not writable for this user: the peak covers the group's whole life.
        }
    }

    @Override
    public void close() {
        used.close();
        limit.close();
        peak.close();
    }
}
