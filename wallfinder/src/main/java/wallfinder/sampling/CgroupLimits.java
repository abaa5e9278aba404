package wallfinder.sampling;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    private final List<KernelFile> memory;
    private final List<KernelFile> tasks;
    private final List<KernelFile> quotas;
    private final List<KernelFile> periods;

    CgroupLimits(CgroupDirs dirs) {
        version1 = dirs.version() == 1;
        memory = upwards(dirs.memory(), version1 ? "memory.limit_in_bytes" : "memory.max");
        tasks = upwards(dirs.pids(), "pids.max");
        quotas = upwards(dirs.cpu(), version1 ? "cpu.cfs_quota_us" : "cpu.max");
        periods = version1 ? upwards(dirs.cpu(), "cpu.cfs_period_us") : List.of();
    }

    /// The file of this name in the folder and in those above it, as far as it is there.
    private static List<KernelFile> upwards(@Nullable Path folder, String name) {
        List<KernelFile> files = new ArrayList<>();
        Path at = folder;
        for (int i = 0; i < LEVELS_MAX && at != null && Files.exists(at.resolve(name)); i++) {
            files.add(new KernelFile(at.resolve(name)));
            at = at.toAbsolutePath().getParent();
        }
        return files;
    }

    /// In bytes, `NaN` if there is no limit.
    double memoryBytes() {
        double tightest = Double.NaN;
        for (KernelFile file : memory) {
            double bytes = file.read() ? file.text().number() : Double.NaN;
            if (bytes < UNLIMITED_BYTES && !(bytes >= tightest)) {
                tightest = bytes;
            }
        }
        return tightest;
    }

    /// Processes and threads, `NaN` if there is no limit.
    double tasks() {
        double tightest = Double.NaN;
        for (KernelFile file : tasks) {
            double most = file.read() && !file.text().skip(MAX) ? file.text().number() : Double.NaN;
            if (!Double.isNaN(most) && !(most >= tightest)) {
                tightest = most;
            }
        }
        return tightest;
    }

    /// CPU time in a second of time, `NaN` if there is no limit.
    double cpus() {
        double tightest = Double.NaN;
        for (int i = 0; i < quotas.size(); i++) {
            double cpus = version1 ? cpusOfVersion1(i) : cpusOfVersion2(i);
            if (cpus > 0 && !(cpus >= tightest)) {
                tightest = cpus;
            }
        }
        return tightest;
    }

    private double cpusOfVersion1(int level) {
        if (level >= periods.size() || !quotas.get(level).read() || !periods.get(level).read()) {
            return Double.NaN;
        }
        return quotas.get(level).text().number() / periods.get(level).text().number();
    }

    /// The file says `QUOTA PERIOD`, the quota being `max` where there is none.
    private double cpusOfVersion2(int level) {
        KernelFile file = quotas.get(level);
        if (!file.read() || file.text().skip(MAX)) {
            return Double.NaN;
        }
        double quota = file.text().number();
        return quota / file.text().number();
    }

    @Override
    public void close() {
        memory.forEach(KernelFile::close);
        tasks.forEach(KernelFile::close);
        quotas.forEach(KernelFile::close);
        periods.forEach(KernelFile::close);
    }
}
