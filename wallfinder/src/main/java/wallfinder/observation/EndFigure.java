package wallfinder.observation;

/// Figures of which each end has one.
public enum EndFigure implements Key {
    /// Of the CPUs that the end may run on, whoever used them.
    CPUS_BUSY(Form.total("cpus.busy", Unit.SECONDS)),
    CPUS_STEAL(Form.total("cpus.steal", Unit.SECONDS)),
    CPUS_COUNT(Form.level("cpus.count", Unit.CPUS)),

    /// What all TCP sockets of the host may hold.
    TCP_MEMORY_PRESSURE(Form.level("tcpMemory.pressure", Unit.PAGES)),
    TCP_MEMORY_LIMIT(Form.level("tcpMemory.limit", Unit.PAGES)),

    /// The connections that the kernel tracks.
    CONNTRACK_ENTRIES(Form.level("conntrack.entries", Unit.COUNT)),

    /// Packets of connections that found no place.
    CONNTRACK_DROPS(Form.total("conntrack.drops", Unit.COUNT)),

    /// Connections without an answer that the kernel gave up for another.
    CONNTRACK_EARLY_DROPS(Form.total("conntrack.earlyDrops", Unit.COUNT)),

    /// Packets that the queues of the CPUs had no place for, host-wide.
    SOFTNET_DROPPED(Form.total("softnet.dropped", Unit.COUNT)),

    /// The length of the queue of each CPU.
    SOFTNET_LIMIT(Form.level("softnet.limit", Unit.COUNT)),

    /// The longest of these queues.
    SOFTNET_QUEUE(Form.level("softnet.queue", Unit.COUNT)),

    /// Sockets that wait for a name server's answer.
    LOOKUPS_WAITING(Form.level("lookups.waiting", Unit.COUNT)),

    /// How long the oldest of them has been seen to wait.
    LOOKUPS_LONGEST(Form.level("lookups.longest", Unit.SECONDS));

    private final Form form;

    EndFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}
