package wallfinder.sampling;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;

/// What the memory of a cgroup is used for, groups inside it included, from its `memory.stat`.
final class MemoryParts implements AutoCloseable {
    private final @Nullable SampledFile kernelOfVersion1;
    private final SampledFile stat;
    private final byte[] anonymous;
    private final byte[] file;
    private final byte[] kernel = key("kernel");
    private final byte[] refaults;
    private final byte[] majorFaults;

    /// @param memory the folder of the memory controller, or null
    MemoryParts(@Nullable Path memory, boolean version1) {
        stat =
                memory == null
                        ? SampledFile.missing()
                        : new SampledFile(memory.resolve("memory.stat"));
        kernelOfVersion1 =
                version1 && memory != null
                        ? new SampledFile(memory.resolve("memory.kmem.usage_in_bytes"))
                        : null;
        anonymous = key(version1 ? "total_rss" : "anon");
        file = key(version1 ? "total_cache" : "file");
        refaults = key(version1 ? "total_workingset_refault_file" : "workingset_refault_file");
        majorFaults = key(version1 ? "total_pgmajfault" : "pgmajfault");
    }

    private static byte[] key(String word) {
        return word.getBytes(StandardCharsets.US_ASCII);
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
        boolean there = stat.read();
        values[from] = there ? stat.text().valueOf(anonymous) : Double.NaN;
        values[from + 1] = there ? stat.text().valueOf(file) : Double.NaN;
        values[from + 2] = there ? kernelBytes() : Double.NaN;
        values[from + 3] = there ? stat.text().valueOf(refaults) : Double.NaN;
        values[from + 4] = there ? stat.text().valueOf(majorFaults) : Double.NaN;
    }

    private double kernelBytes() {
        if (kernelOfVersion1 == null) {
            return stat.text().valueOf(kernel);
        }
        return kernelOfVersion1.read() ? kernelOfVersion1.text().number() : Double.NaN;
    }

    @Override
    public void close() {
        stat.close();
        if (kernelOfVersion1 != null) {
            kernelOfVersion1.close();
        }
    }
}
