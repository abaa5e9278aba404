package wallfinder.sampling;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;

/// The effective limits of a cgroup: the tightest among the group and its parents.
final class CgroupLimits implements AutoCloseable {
    /// Version 1 shows unlimited memory as a number of about this size.
    static final double UNLIMITED_BYTES = 0x1p62;

    private static final byte[] MAX = KernelText.key("max");

    private static final int LEVELS_MAX = 32;

    private final boolean version1;
    private final List<LimitFile> memory;
    private final List<LimitFile> tasks;
    private final List<LimitFile> quotas;
    private final List<LimitFile> periods;

    private record LimitFile(Path folder, SampledFile file) {}

    record Level(Path folder, double limit) {}

    CgroupLimits(CgroupDirs dirs) {
        version1 = dirs.version() == 1;
        memory = upwards(dirs.memory(), version1 ? "memory.limit_in_bytes" : "memory.max");
        tasks = upwards(dirs.pids(), "pids.max");
        quotas = upwards(dirs.cpu(), version1 ? "cpu.cfs_quota_us" : "cpu.max");
        periods = version1 ? upwards(dirs.cpu(), "cpu.cfs_period_us") : List.of();
    }

    /// The files of this name in the folder and in its parents. In version 2, a group does not have
    /// the file if its parent has not enabled the controller for it, but the limits of the parents
    /// still apply to it.
    private static List<LimitFile> upwards(@Nullable Path folder, String name) {
        return withParents(folder).stream()
                .filter(at -> Files.exists(at.resolve(name)))
                .map(at -> new LimitFile(at, new SampledFile(at.resolve(name))))
                .toList();
    }

    private static List<Path> withParents(@Nullable Path folder) {
        List<Path> folders = new ArrayList<>();
        Path at = folder;
        for (int i = 0; i < LEVELS_MAX && at != null; i++) {
            folders.add(at);
            at = at.toAbsolutePath().getParent();
        }
        return folders;
    }

    /// The folder whose `cpu.stat` is that of a group. The scheduler counts the processes of a
    /// group without the `cpu` controller in the nearest parent that has the controller. Returns
    /// that parent only if no group has a quota, up to the root group of the host: the parents with
    /// a quota are subjects of their own ([NearbyQuotas]), and a container does not see all
    /// parents.
    @Nullable Path cpuStatFolder(@Nullable Path folder) {
        if (folder == null || version1 || !cpuLevels().isEmpty()) {
            return folder;
        }
        List<Path> groups =
                withParents(folder).stream()
                        .takeWhile(at -> Files.exists(at.resolve("cgroup.procs")))
                        .toList();
        // Only the root group of the host has no such file (cgroup-v2.rst).
        boolean complete =
                !groups.isEmpty() && !Files.exists(groups.getLast().resolve("cgroup.type"));
        return complete
                ? groups.stream().filter(CpuStat::isCounted).findFirst().orElse(folder)
                : folder;
    }

    /// Bytes, `NaN` if there is no limit.
    double memoryBytes() {
        return tightest(memoryLevels());
    }

    /// CPU seconds per second, `NaN` without a quota.
    double cpus() {
        return tightest(cpuLevels());
    }

    /// The quota of one of these groups.
    double cpus(Path folder) {
        return tightest(
                cpuLevels().stream().filter(level -> level.folder().equals(folder)).toList());
    }

    private static double tightest(List<Level> levels) {
        return levels.stream().mapToDouble(Level::limit).min().orElse(Double.NaN);
    }

    /// The groups with a memory limit, from the process's own group upwards.
    List<Level> memoryLevels() {
        return levels(
                memory,
                i -> {
                    double bytes = memory.get(i).file().number();
                    return bytes < UNLIMITED_BYTES ? bytes : Double.NaN;
                });
    }

    List<Level> taskLevels() {
        return levels(
                tasks,
                i -> {
                    SampledFile file = tasks.get(i).file();
                    return file.read() && !file.text().skip(MAX)
                            ? file.text().number()
                            : Double.NaN;
                });
    }

    /// The groups with a quota, in CPU seconds per second.
    List<Level> cpuLevels() {
        return levels(
                quotas,
                i -> {
                    double cpus = version1 ? cpusOfVersion1(i) : cpusOfVersion2(i);
                    return cpus > 0 ? cpus : Double.NaN;
                });
    }

    private static List<Level> levels(List<LimitFile> files, IntToDoubleFunction limitAt) {
        List<Level> levels = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            double limit = limitAt.applyAsDouble(i);
            if (!Double.isNaN(limit)) {
                levels.add(new Level(files.get(i).folder(), limit));
            }
        }
        return levels;
    }

    private double cpusOfVersion1(int level) {
        if (level >= periods.size()) {
            return Double.NaN;
        }
        return quotas.get(level).file().number() / periods.get(level).file().number();
    }

    /// The file contains `QUOTA PERIOD`, or `max PERIOD` without a quota.
    private double cpusOfVersion2(int level) {
        SampledFile file = quotas.get(level).file();
        if (!file.read() || file.text().skip(MAX)) {
            return Double.NaN;
        }
        double quota = file.text().number();
        return quota / file.text().number();
    }

    @Override
    public void close() {
        for (List<LimitFile> files : List.of(memory, tasks, quotas, periods)) {
            files.forEach(limit -> limit.file().close());
        }
    }
}
