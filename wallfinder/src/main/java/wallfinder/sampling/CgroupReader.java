package wallfinder.sampling;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// The cgroup of a service, version 1 or 2: how often its limits took effect, what it uses, and the
/// effective limits, including those of parent groups; `NaN` without a limit. It reads the limits
/// once a second. The quotas of its parents and of the groups inside it count, too
/// ([NearbyQuotas]).
final class CgroupReader implements Reader, Paced {
    private static final byte[] OOM_KILLS = KernelText.key("oom_kill");
    private static final byte[] MAX = KernelText.key("max");
    private static final int NEARBY_FROM = 23;

    private final boolean version1;
    private final CpuStat cpuStat;
    private final NearbyQuotas nearby;
    private final SampledFile oomKills;
    private final SampledFile limitHits;
    private final SampledFile memory;
    private final CgroupTasks tasks;
    private final MemoryParts memoryParts;
    private final SocketMemory socketMemory;
    private final CgroupLimits limits;
    private final Pace pace;
    private final List<Counter> counters;
    private double killsBefore;
    private double memoryLimit = Double.NaN;
    private double cpus = Double.NaN;

    /// Reads a group that was created for this service.
    ///
    /// @param dirs the folders of the group; a missing file reads as `NaN`
    CgroupReader(End end, String service, CgroupDirs dirs) {
        this(end, service, dirs, true);
    }

    /// Reads a group that existed before and may have had other processes. Does not count the
    /// earlier OOM kills, and changes nothing in the group.
    static CgroupReader ofOthers(End end, String service, CgroupDirs dirs) {
        CgroupReader reader = new CgroupReader(end, service, dirs, false);
        double before = reader.kills();
        reader.killsBefore = Double.isNaN(before) ? 0 : before;
        return reader;
    }

    private CgroupReader(End end, String service, CgroupDirs dirs, boolean own) {
        version1 = dirs.version() == 1;
        String kills = version1 ? "memory.oom_control" : "memory.events";
        String hits = version1 ? "memory.failcnt" : "memory.events";
        String usage = version1 ? "memory.usage_in_bytes" : "memory.current";
        oomKills = SampledFile.in(dirs.memory(), kills);
        limitHits = SampledFile.in(dirs.memory(), hits);
        memory = SampledFile.in(dirs.memory(), usage);
        memoryParts = new MemoryParts(dirs.memory(), version1);
        socketMemory = new SocketMemory(dirs.memory(), version1, own);
        limits = new CgroupLimits(dirs);
        Path counted = limits.cpuStatFolder(dirs.cpu());
        cpuStat = new CpuStat(counted, version1);
        tasks = new CgroupTasks(dirs, limits);
        nearby = new NearbyQuotas(dirs, service, limits);
        pace = Pace.everySecond(System::nanoTime);
        String memoryMax = version1 ? "memory.limit_in_bytes" : "memory.max";
        String quota = version1 ? "cpu.cfs_quota_us" : "cpu.max";
        List<Counter> all = new ArrayList<>();
        String stat =
                counted == null || counted.equals(dirs.cpu())
                        ? CpuStat.FILE
                        : counted.resolve(CpuStat.FILE).toString();
        CpuStat.counters(end, service, stat).forEach(all::add);
        all.add(CgroupFigure.OOM_KILLS.of(service).at(end, kills));
        all.add(CgroupFigure.LIMIT_HITS.of(service).at(end, hits));
        all.add(CgroupFigure.MEMORY.of(service).at(end, usage));
        all.add(CgroupFigure.MEMORY_LIMIT.of(service).at(end, memoryMax));
        all.add(CgroupFigure.CPU_QUOTA.of(service).at(end, quota));
        all.add(CgroupFigure.TASKS.of(service).at(end, "pids.current"));
        all.add(CgroupFigure.TASK_LIMIT.of(service).at(end, "pids.max"));
        all.add(CgroupFigure.FORKS_REFUSED.of(service).at(end, "pids.events"));
        all.addAll(MemoryParts.counters(end, service, version1));
        all.addAll(SocketMemory.counters(end, service, version1));
        all.add(CgroupFigure.FORKS_REFUSED_ABOVE.of(service).at(end, "pids.events.local"));
        if (all.size() != NEARBY_FROM) {
            throw new IllegalStateException("%d counters of a cgroup".formatted(all.size()));
        }
        nearby.counters(end, quota).forEach(all::add);
        counters = List.copyOf(all);
    }

    @Override
    public List<Counter> counters() {
        return counters;
    }

    @Override
    public void readInFullNext() {
        pace.force();
    }

    @Override
    public void read(double[] values, int from) {
        pace.run(this::readLimits);
        cpuStat.read(values, from);
        values[from + 3] = kills() - killsBefore;
        values[from + 4] = version1 ? limitHits.number() : limitHits.valueOf(MAX);
        values[from + 5] = memory.number();
        values[from + 6] = memoryLimit;
        values[from + 7] = cpus;
        values[from + 8] = tasks.tasks();
        values[from + 9] = tasks.limit();
        values[from + 10] = tasks.refused();
        memoryParts.read(values, from + 11);
        socketMemory.read(values, from + 19);
        values[from + 22] = tasks.refusedAbove();
        nearby.read(values, from + NEARBY_FROM);
    }

    private double kills() {
        return oomKills.valueOf(OOM_KILLS);
    }

    private void readLimits() {
        memoryLimit = limits.memoryBytes();
        cpus = limits.cpus();
        nearby.readLimits();
        tasks.readLimits();
    }

    @Override
    public void close() {
        cpuStat.close();
        nearby.close();
        oomKills.close();
        limitHits.close();
        memory.close();
        tasks.close();
        memoryParts.close();
        socketMemory.close();
        limits.close();
    }
}
