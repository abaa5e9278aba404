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
    private static final int REFAULTS = 3;
    private static final int SWAP = 6;

    /// Linux 5.4 to 5.8 counts only pages of files, all under this key.
    private static final byte[] REFAULTS_UNDIVIDED = KernelText.key("workingset_refault");

    private final boolean version1;
    private final SampledFile stat;
    private final SampledFile kernelOfVersion1;
    private final SampledFile swapOfVersion2;

    private final List<byte[]> keys;

    /// @param memory the folder of the memory controller, or null
    MemoryParts(@Nullable Path memory, boolean version1) {
        this.version1 = version1;
        stat = SampledFile.in(memory, "memory.stat");
        kernelOfVersion1 = SampledFile.in(version1 ? memory : null, "memory.kmem.usage_in_bytes");
        swapOfVersion2 = SampledFile.in(version1 ? null : memory, "memory.swap.current");
        keys =
                Stream.of(
                                version1 ? "total_rss" : "anon",
                                version1 ? "total_cache" : "file",
                                "kernel",
                                (version1 ? "total_" : "") + "workingset_refault_file",
                                (version1 ? "total_" : "") + "pgmajfault",
                                (version1 ? "total_" : "") + "workingset_refault_anon",
                                "total_swap",
                                version1 ? "total_shmem" : "shmem")
                        .map(KernelText::key)
                        .toList();
    }

    static List<Counter> counters(End end, String service, boolean version1) {
        return List.of(
                CgroupFigure.MEMORY_ANONYMOUS.of(service).at(end, "memory.stat"),
                CgroupFigure.MEMORY_FILE.of(service).at(end, "memory.stat"),
                CgroupFigure.MEMORY_KERNEL.of(service).at(end, "memory.stat"),
                CgroupFigure.REFAULTS.of(service).at(end, "memory.stat"),
                CgroupFigure.MAJOR_FAULTS.of(service).at(end, "memory.stat"),
                CgroupFigure.SWAP_REFAULTS.of(service).at(end, "memory.stat"),
                CgroupFigure.SWAP
                        .of(service)
                        .at(end, version1 ? "memory.stat" : "memory.swap.current"),
                CgroupFigure.MEMORY_SHARED.of(service).at(end, "memory.stat"));
    }

    void read(double[] values, int from) {
        boolean readable = stat.read();
        for (int i = 0; i < keys.size(); i++) {
            values[from + i] = readable ? stat.text().valueOf(keys.get(i)) : Double.NaN;
        }
        if (version1) {
            values[from + KERNEL] = kernelOfVersion1.number();
        } else {
            values[from + SWAP] = swapOfVersion2.number();
            if (readable && Double.isNaN(values[from + REFAULTS])) {
                values[from + REFAULTS] = stat.text().valueOf(REFAULTS_UNDIVIDED);
            }
        }
    }

    @Override
    public void close() {
        stat.close();
        kernelOfVersion1.close();
        swapOfVersion2.close();
    }
}
