package wallfinder.sampling;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.Counter;
import wallfinder.observation.End;
import wallfinder.observation.Reader;

/// The cgroup of a service, version 1 or 2: how often its limits bound, what it uses, and the
/// limits in force, those of the groups above it included; `NaN` where there is none. The limits
/// are read once a second.
final class CgroupReader implements Reader, Paced {
    private static final byte[] PERIODS = key("nr_periods");
    private static final byte[] THROTTLED = key("nr_throttled");
    private static final byte[] OOM_KILLS = key("oom_kill");
    private static final byte[] MAX = key("max");
    private static final byte[] THROTTLED_TIME_1 = key("throttled_time");
    private static final byte[] THROTTLED_TIME_2 = key("throttled_usec");

    private final boolean version1;
    private final SampledFile cpuStat;
    private final SampledFile oomKills;
    private final SampledFile limitHits;
    private final SampledFile memory;
    private final SampledFile tasks;
    private final SampledFile forksRefused;
    private final MemoryParts memoryParts;
    private final SocketMemory socketMemory;
    private final CgroupLimits limits;
    private final Pace pace;
    private final List<Counter> counters;
    private double killsBefore;
    private double memoryLimit = Double.NaN;
    private double cpus = Double.NaN;
    private double taskLimit = Double.NaN;

    /// A group that was made for this service.
    ///
    /// @param dirs the folders of the group; what is missing reads as `NaN`
    CgroupReader(End end, String service, CgroupDirs dirs) {
        this(end, service, dirs, true);
    }

    /// A group that was there before, and may have had other processes: who was killed in it then
    /// is not counted, and nothing in it is changed.
    static CgroupReader ofOthers(End end, String service, CgroupDirs dirs) {
        CgroupReader reader = new CgroupReader(end, service, dirs, false);
        double before = reader.kills();
        reader.killsBefore = Double.isNaN(before) ? 0 : before;
        return reader;
    }

    private CgroupReader(End end, String service, CgroupDirs dirs, boolean own) {
        version1 = dirs.version() == 1;
        cpuStat = open(dirs.cpu(), "cpu.stat");
        oomKills = open(dirs.memory(), version1 ? "memory.oom_control" : "memory.events");
        limitHits = open(dirs.memory(), version1 ? "memory.failcnt" : "memory.events");
        memory = open(dirs.memory(), version1 ? "memory.usage_in_bytes" : "memory.current");
        tasks = open(dirs.pids(), "pids.current");
        forksRefused = open(dirs.pids(), "pids.events");
        memoryParts = new MemoryParts(dirs.memory(), version1);
        socketMemory = new SocketMemory(dirs.memory(), version1, own);
        limits = new CgroupLimits(dirs);
        pace = Pace.everySecond(System::nanoTime);
        counters =
                Stream.of(
                                counters(end, service, version1),
                                MemoryParts.counters(end, service),
                                SocketMemory.counters(end, service, version1))
                        .flatMap(List::stream)
                        .toList();
    }

    private static List<Counter> counters(End end, String service, boolean version1) {
        String oomKills = version1 ? "memory.oom_control" : "memory.events";
        String limitHits = version1 ? "memory.failcnt" : "memory.events";
        String memory = version1 ? "memory.usage_in_bytes" : "memory.current";
        String memoryLimit = version1 ? "memory.limit_in_bytes" : "memory.max";
        String cpus = version1 ? "cpu.cfs_quota_us" : "cpu.max";
        return List.of(
                CgroupFigure.PERIODS.of(service).at(end, "cpu.stat"),
                CgroupFigure.THROTTLED_PERIODS.of(service).at(end, "cpu.stat"),
                CgroupFigure.THROTTLED_SECONDS.of(service).at(end, "cpu.stat"),
                CgroupFigure.OOM_KILLS.of(service).at(end, oomKills),
                CgroupFigure.LIMIT_HITS.of(service).at(end, limitHits),
                CgroupFigure.MEMORY.of(service).at(end, memory),
                CgroupFigure.MEMORY_LIMIT.of(service).at(end, memoryLimit),
                CgroupFigure.CPU_QUOTA.of(service).at(end, cpus),
                CgroupFigure.TASKS.of(service).at(end, "pids.current"),
                CgroupFigure.TASK_LIMIT.of(service).at(end, "pids.max"),
                CgroupFigure.FORKS_REFUSED.of(service).at(end, "pids.events"));
    }

    private static byte[] key(String word) {
        return word.getBytes(StandardCharsets.US_ASCII);
    }

    private static SampledFile open(@Nullable Path folder, String name) {
        return folder == null ? SampledFile.missing() : new SampledFile(folder.resolve(name));
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
        boolean cpu = cpuStat.read();
        KernelText stat = cpuStat.text();
        values[from] = cpu ? stat.valueOf(PERIODS) : Double.NaN;
        values[from + 1] = cpu ? stat.valueOf(THROTTLED) : Double.NaN;
        values[from + 2] = cpu ? throttledSeconds(stat) : Double.NaN;
        values[from + 3] = kills() - killsBefore;
        values[from + 4] = limitHits.read() ? limitHits(limitHits.text()) : Double.NaN;
        values[from + 5] = memory.read() ? memory.text().number() : Double.NaN;
        values[from + 6] = memoryLimit;
        values[from + 7] = cpus;
        values[from + 8] = tasks.read() ? tasks.text().number() : Double.NaN;
        values[from + 9] = taskLimit;
        values[from + 10] = forksRefused.read() ? forksRefused.text().valueOf(MAX) : Double.NaN;
        memoryParts.read(values, from + 11);
        socketMemory.read(values, from + 16);
    }

    private double kills() {
        return oomKills.read() ? oomKills.text().valueOf(OOM_KILLS) : Double.NaN;
    }

    private double throttledSeconds(KernelText stat) {
        return version1
                ? stat.valueOf(THROTTLED_TIME_1) / 1e9
                : stat.valueOf(THROTTLED_TIME_2) / 1e6;
    }

    private double limitHits(KernelText text) {
        return version1 ? text.number() : text.valueOf(MAX);
    }

    private void readLimits() {
        memoryLimit = limits.memoryBytes();
        cpus = limits.cpus();
        taskLimit = limits.tasks();
    }

    @Override
    public void close() {
        cpuStat.close();
        oomKills.close();
        limitHits.close();
        memory.close();
        tasks.close();
        forksRefused.close();
        memoryParts.close();
        socketMemory.close();
        limits.close();
    }
}
