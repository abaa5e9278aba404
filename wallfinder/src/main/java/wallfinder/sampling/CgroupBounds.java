package wallfinder.sampling;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.Bound;
import wallfinder.observation.Bound.Kind;
import wallfinder.observation.End;

/// The limits of a service's cgroup and its parents: of each kind the one with the least room.
public final class CgroupBounds {
    private static final LimitOrigin ORIGIN = new LimitOrigin(Path.of("/"));

    private CgroupBounds() {}

    public static List<Bound> of(End end, CgroupDirs dirs) {
        boolean version1 = dirs.version() == 1;
        List<Bound> bounds = new ArrayList<>();
        try (CgroupLimits limits = new CgroupLimits(dirs)) {
            add(
                    Kind.CGROUP_TASKS,
                    end,
                    limits.taskLevels(),
                    "pids.max",
                    folder -> SampledFile.numberIn(folder.resolve("pids.current")),
                    "TasksMax",
                    "--pids-limit",
                    bounds);
            String usage = version1 ? "memory.usage_in_bytes" : "memory.current";
            add(
                    Kind.CGROUP_MEMORY,
                    end,
                    limits.memoryLevels(),
                    version1 ? "memory.limit_in_bytes" : "memory.max",
                    folder -> SampledFile.numberIn(folder.resolve(usage)),
                    "MemoryMax",
                    "--memory",
                    bounds);
            add(
                    Kind.CPU_QUOTA,
                    end,
                    limits.cpuLevels(),
                    version1 ? "cpu.cfs_quota_us" : "cpu.max",
                    folder -> Double.NaN,
                    "CPUQuota",
                    "--cpus",
                    bounds);
        }
        return bounds;
    }

    private static void add(
            Kind kind,
            End end,
            List<CgroupLimits.Level> levels,
            String name,
            ToDoubleFunction<Path> inUse,
            String unitKey,
            String option,
            List<Bound> bounds) {
        levels.stream()
                .map(level -> {
                    Path file = level.folder().resolve(name);
                    return new Bound(
                            kind,
                            end,
                            level.limit(),
                            inUse.applyAsDouble(level.folder()),
                            0,
                            ORIGIN.ofGroup(file, unitKey, option),
                            file.toString());
                })
                .min(Comparator.comparingDouble(Bound::free))
                .ifPresent(bounds::add);
    }
}
