package wallfinder.observation;

import static wallfinder.observation.Form.level;
import static wallfinder.observation.Form.total;
import static wallfinder.observation.Unit.BYTES;
import static wallfinder.observation.Unit.COUNT;
import static wallfinder.observation.Unit.CPUS;
import static wallfinder.observation.Unit.PAGES;
import static wallfinder.observation.Unit.SECONDS;

/// The cgroup of a service.
public enum CgroupFigure implements Figure {
    PERIODS(total("cgroup[].periods", COUNT)),
    THROTTLED_PERIODS(total("cgroup[].throttledPeriods", COUNT)),
    THROTTLED_SECONDS(total("cgroup[].throttledSeconds", SECONDS)),
    OOM_KILLS(total("cgroup[].oomKills", COUNT)),
    LIMIT_HITS(total("cgroup[].limitHits", COUNT)),
    MEMORY(level("cgroup[].memory", BYTES)),
    MEMORY_LIMIT(level("cgroup[].memoryLimit", BYTES)),

    /// In CPUs.
    CPU_QUOTA(level("cgroup[].cpus", CPUS)),

    /// Processes and threads.
    TASKS(level("cgroup[].tasks", COUNT)),
    TASK_LIMIT(level("cgroup[].taskLimit", COUNT)),
    FORKS_REFUSED(total("cgroup[].forksRefused", COUNT)),
    MEMORY_ANONYMOUS(level("cgroup[].memoryAnonymous", BYTES)),
    MEMORY_FILE(level("cgroup[].memoryFile", BYTES)),
    MEMORY_KERNEL(level("cgroup[].memoryKernel", BYTES)),
    REFAULTS(total("cgroup[].refaults", PAGES)),
    MAJOR_FAULTS(total("cgroup[].majorFaults", PAGES)),
    TCP_MEMORY(level("cgroup[].tcpMemory", BYTES)),
    TCP_MEMORY_LIMIT(level("cgroup[].tcpMemoryLimit", BYTES)),

    /// The most since the first look; in a group that others made, since they made it.
    TCP_MEMORY_PEAK(level("cgroup[].tcpMemoryPeak", BYTES));

    private final Form form;

    CgroupFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}
