package wallfinder.sampling;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Names;

/// What the sockets of a cgroup hold. Version 1 has a limit of its own for TCP; version 2 counts it
/// as memory like any other.
final class SocketMemory implements AutoCloseable {
    private static final byte[] SOCKETS = "sock".getBytes(StandardCharsets.US_ASCII);

    private final boolean version1;
    private final KernelFile used;
    private final KernelFile limit;
    private final KernelFile peak;

    /// @param memory the folder of the memory controller (of its cgroup), or null
    SocketMemory(@Nullable Path memory, boolean version1) {
        this.version1 = version1;
        used = open(memory, version1 ? "memory.kmem.tcp.usage_in_bytes" : "memory.stat");
        limit = open(version1 ? memory : null, "memory.kmem.tcp.limit_in_bytes");
        peak = open(version1 ? memory : null, "memory.kmem.tcp.max_usage_in_bytes");
    }

    private static KernelFile open(@Nullable Path folder, String name) {
        return folder == null ? KernelFile.missing() : new KernelFile(folder.resolve(name));
    }

    static List<Counter> counters(End end, String service, boolean version1) {
        Counter.Kind level = Counter.Kind.GAUGE;
        String used = version1 ? "memory.kmem.tcp.usage_in_bytes" : "memory.stat";
        String limit = "memory.kmem.tcp.limit_in_bytes";
        String peak = "memory.kmem.tcp.max_usage_in_bytes";
        return List.of(
                new Counter(Names.cgroup(service, "tcpMemory"), end, level, used),
                new Counter(Names.cgroup(service, "tcpMemoryLimit"), end, level, limit),
                new Counter(Names.cgroup(service, "tcpMemoryPeak"), end, level, peak));
    }

    void read(double[] values, int from) {
        values[from] = used.read() ? used() : Double.NaN;
        double bytes = limit.read() ? limit.text().number() : Double.NaN;
        values[from + 1] = bytes < CgroupLimits.UNLIMITED_BYTES ? bytes : Double.NaN;
        values[from + 2] = peak.read() ? peak.text().number() : Double.NaN;
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
