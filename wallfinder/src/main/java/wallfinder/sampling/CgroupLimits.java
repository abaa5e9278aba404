package wallfinder.sampling;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;

/// The limits in force in a cgroup: the tightest of its own and those of the groups it is in.
final class CgroupLimits implements AutoCloseable {
    /// Version 1 tells an unlimited memory by a number of about this size.
    static final double UNLIMITED_BYTES = 0x1p62;

    private static final byte[] MAX = "max".getBytes(StandardCharsets.US_ASCII);

    /// Groups lie in groups: no more levels than this are looked at.
    private static final int LEVELS_MAX = 32;

    private final boolean version1;
    private final List<LimitFile> memory;
    private final List<LimitFile> tasks;
    private final List<LimitFile> quotas;
    private final List<LimitFile> periods;

    private record LimitFile(Path folder, SampledFile file) {}

    /// A limit of one group on the way up.
    record Level(Path folder, double limit) {}

    CgroupLimits(CgroupDirs dirs) {
        version1 = dirs.version() == 1;
        memory = upwards(dirs.memory(), version1 ? "memory.limit_in_bytes" : "memory.max");
        tasks = upwards(dirs.pids(), "pids.max");
        quotas = upwards(dirs.cpu(), version1 ? "cpu.cfs_quota_us" : "cpu.max");
        periods = version1 ? upwards(dirs.cpu(), "cpu.cfs_period_us") : List.of();
    }

    /// The file of this name in the folder and in those above it, as far as it is there.
    private static List<LimitFile> upwards(@Nullable Path folder, String name) {
        List<LimitFile> files = new ArrayList<>();
        Path at = folder;
        for (int i = 0; i < LEVELS_MAX && at != null && Files.exists(at.resolve(name)); i++) {
            files.add(new LimitFile(at, new SampledFile(at.resolve(name))));
            at = at.toAbsolutePath().getParent();
        }
        return files;
    }

    /// In bytes, `NaN` if there is no limit.
    double memoryBytes() {
        return tightest(memoryLevels());
    }

    /// Processes and threads, `NaN` if there is no limit.
    double tasks() {
        return tightest(taskLevels());
    }

    /// CPU time in a second of time, `NaN` if there is no limit.
    double cpus() {
        return tightest(cpuLevels());
    }

    private static double tightest(List<Level> levels) {
        return levels.stream().mapToDouble(Level::limit).min().orElse(Double.NaN);
    }

    /// The groups that have a limit, from the process's own upwards.
    List<Level> memoryLevels() {
        return levels(
                memory,
                i -> {
                    SampledFile file = memory.get(i).file();
                    double bytes = file.read() ? file.text().number() : Double.NaN;
                    return bytes < UNLIMITED_BYTES ? bytes : Double.NaN;
                });
    }

    /// The same of processes and threads.
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

    /// The same of CPU time in a second of time.
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
        SampledFile quota = quotas.get(level).file();
        SampledFile period = periods.get(level).file();
        return quota.read() && period.read()
                ? quota.text().number() / period.text().number()
                : Double.NaN;
    }

    /// The file says `QUOTA PERIOD`, the quota being `max` where there is none.
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
