package wallfinder.sampling;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;

/// What a cgroup and the groups inside it use memory for, from `memory.stat`.
final class MemoryParts implements AutoCloseable {
    private static final int KERNEL = 2;

    private final boolean version1;
    private final SampledFile stat;
    private final SampledFile kernelOfVersion1;

    private final List<byte[]> keys;

    /// @param memory the folder of the memory controller, or null
    MemoryParts(@Nullable Path memory, boolean version1) {
        this.version1 = version1;
        stat = SampledFile.in(memory, "memory.stat");
        kernelOfVersion1 = SampledFile.in(version1 ? memory : null, "memory.kmem.usage_in_bytes");
        keys =
                Stream.of(
                                version1 ? "total_rss" : "anon",
                                version1 ? "total_cache" : "file",
                                "kernel",
                                (version1 ? "total_" : "") + "workingset_refault_file",
                                (version1 ? "total_" : "") + "pgmajfault")
                        .map(KernelText::key)
                        .toList();
    }

    static List<Counter> counters(End end, String service) {
        return List.of(
                CgroupFigure.MEMORY_ANONYMOUS.of(service).at(end, "memory.stat"),
                CgroupFigure.MEMORY_FILE.of(service).at(end, "memory.stat"),
                CgroupFigure.MEMORY_KERNEL.of(service).at(end, "memory.stat"),
                CgroupFigure.REFAULTS.of(service).at(end, "memory.stat"),
                CgroupFigure.MAJOR_FAULTS.of(service).at(end, "memory.stat"));
    }

    void read(double[] values, int from) {
        boolean readable = stat.read();
        for (int i = 0; i < keys.size(); i++) {
            values[from + i] = readable ? stat.text().valueOf(keys.get(i)) : Double.NaN;
        }
        if (version1) {
            values[from + KERNEL] = kernelOfVersion1.number();
        }
    }

    @Override
    public void close() {
        stat.close();
        kernelOfVersion1.close();
    }
}
