package wallfinder.observation;

/// The cgroup of a service.
public enum CgroupFigure implements Figure {
    PERIODS(Form.total("cgroup[].periods", Unit.COUNT)),
    THROTTLED_PERIODS(Form.total("cgroup[].throttledPeriods", Unit.COUNT)),
    THROTTLED_SECONDS(Form.total("cgroup[].throttledSeconds", Unit.SECONDS)),
    OOM_KILLS(Form.total("cgroup[].oomKills", Unit.COUNT)),
    LIMIT_HITS(Form.total("cgroup[].limitHits", Unit.COUNT)),
    MEMORY(Form.level("cgroup[].memory", Unit.BYTES)),
    MEMORY_LIMIT(Form.level("cgroup[].memoryLimit", Unit.BYTES)),

    CPU_QUOTA(Form.level("cgroup[].cpus", Unit.CPUS)),

    /// Processes and threads.
    TASKS(Form.level("cgroup[].tasks", Unit.COUNT)),
    TASK_LIMIT(Form.level("cgroup[].taskLimit", Unit.COUNT)),
    FORKS_REFUSED(Form.total("cgroup[].forksRefused", Unit.COUNT)),

    /// What the limits of the group's parents refused any group inside them (Linux 6.11).
    FORKS_REFUSED_ABOVE(Form.total("cgroup[].forksRefusedAbove", Unit.COUNT)),
    MEMORY_ANONYMOUS(Form.level("cgroup[].memoryAnonymous", Unit.BYTES)),
    MEMORY_FILE(Form.level("cgroup[].memoryFile", Unit.BYTES)),

    /// The part of [#MEMORY_FILE] that cannot be dropped: shared memory, and files in memory. The
    /// heap of ZGC is here.
    MEMORY_SHARED(Form.level("cgroup[].memoryShared", Unit.BYTES)),
    MEMORY_KERNEL(Form.level("cgroup[].memoryKernel", Unit.BYTES)),
    REFAULTS(Form.total("cgroup[].refaults", Unit.PAGES)),
    MAJOR_FAULTS(Form.total("cgroup[].majorFaults", Unit.PAGES)),
    SWAP(Form.level("cgroup[].swap", Unit.BYTES)),

    /// Pages of the programs' own memory that came back from swap.
    SWAP_REFAULTS(Form.total("cgroup[].swapRefaults", Unit.PAGES)),
    TCP_MEMORY(Form.level("cgroup[].tcpMemory", Unit.BYTES)),
    TCP_MEMORY_LIMIT(Form.level("cgroup[].tcpMemoryLimit", Unit.BYTES)),

    /// The maximum since the first sample; in a cgroup of others, since its creation.
    TCP_MEMORY_PEAK(Form.level("cgroup[].tcpMemoryPeak", Unit.BYTES));

    private final Form form;

    CgroupFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}
