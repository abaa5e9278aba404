package wallfinder.observation;

/// Figures that each end has once.
public enum EndFigure implements Key {
    /// The time for which any program used the CPUs that the end may run on.
    CPUS_BUSY(Form.total("cpus.busy", Unit.SECONDS)),
    CPUS_STEAL(Form.total("cpus.steal", Unit.SECONDS)),
    CPUS_COUNT(Form.level("cpus.count", Unit.CPUS)),

    /// The time of any kind that the kernel counted on these CPUs. It is less than the time that
    /// passed if ticks were lost.
    CPUS_COUNTED(Form.total("cpus.counted", Unit.SECONDS)),

    /// The part of the busy time in which these CPUs handled software interrupts, mostly packets.
    CPUS_SOFTIRQ(Form.total("cpus.softirq", Unit.SECONDS)),

    /// This part on the CPU that has spent the most time on it since the first reading.
    CPUS_SOFTIRQ_MOST(Form.total("cpus.softirqMost", Unit.SECONDS)),

    /// The time in which that CPU was idle.
    CPUS_SOFTIRQ_MOST_IDLE(Form.total("cpus.softirqMostIdle", Unit.SECONDS)),

    /// The time of any kind that the kernel counted on that CPU.
    CPUS_SOFTIRQ_MOST_COUNTED(Form.total("cpus.softirqMostCounted", Unit.SECONDS)),

    /// The number of that CPU.
    CPUS_SOFTIRQ_MOST_CPU(Form.level("cpus.softirqMostCpu", Unit.COUNT)),

    /// The memory limits for all TCP sockets of the host.
    TCP_MEMORY_PRESSURE(Form.level("tcpMemory.pressure", Unit.PAGES)),
    TCP_MEMORY_LIMIT(Form.level("tcpMemory.limit", Unit.PAGES)),

    /// Open files and sockets of the whole host, and how many there may be.
    HOST_FILES(Form.level("hostFiles.open", Unit.COUNT)),
    HOST_FILES_LIMIT(Form.level("hostFiles.limit", Unit.COUNT)),

    /// The open descriptors of the process of the whole host that has the fewest free ones, and its
    /// limit. Only read if the process of the service is hidden.
    FULLEST_DESCRIPTORS(Form.level("fullestProcess.descriptors", Unit.COUNT)),
    FULLEST_LIMIT(Form.level("fullestProcess.descriptorLimit", Unit.COUNT)),

    /// Connections that the kernel tracks.
    CONNTRACK_ENTRIES(Form.level("conntrack.entries", Unit.COUNT)),

    /// Packets dropped because the table was full.
    CONNTRACK_DROPS(Form.total("conntrack.drops", Unit.COUNT)),

    /// Unanswered connections that the kernel removed to make room for others.
    CONNTRACK_EARLY_DROPS(Form.total("conntrack.earlyDrops", Unit.COUNT)),

    /// Packets dropped because a CPU's backlog queue was full, on the whole host.
    SOFTNET_DROPPED(Form.total("softnet.dropped", Unit.COUNT)),

    /// The maximum length of each CPU's backlog queue.
    SOFTNET_LIMIT(Form.level("softnet.limit", Unit.COUNT)),

    /// The length of the longest of these queues.
    SOFTNET_QUEUE(Form.level("softnet.queue", Unit.COUNT)),

    /// Packets that these CPUs received, for any receiver of the host.
    SOFTNET_PROCESSED(Form.total("softnet.processed", Unit.COUNT)),

    /// How often one of these CPUs stopped receiving packets although more were waiting.
    SOFTNET_SQUEEZED(Form.total("softnet.squeezed", Unit.COUNT)),

    /// Sockets that wait for an answer of a name server.
    LOOKUPS_WAITING(Form.level("lookups.waiting", Unit.COUNT)),

    /// How long the oldest of these sockets has waited.
    LOOKUPS_LONGEST(Form.level("lookups.longest", Unit.SECONDS)),

    /// UDP sockets of the namespace that are not connected to a name server. Not read if only the
    /// sockets of the service count.
    UDP_OTHERS(Form.level("udp.others", Unit.COUNT));

    private final Form form;

    EndFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}
