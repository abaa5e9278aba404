package wallfinder.observation;

import static wallfinder.observation.Form.level;
import static wallfinder.observation.Form.total;
import static wallfinder.observation.Unit.COUNT;
import static wallfinder.observation.Unit.CPUS;
import static wallfinder.observation.Unit.PAGES;
import static wallfinder.observation.Unit.SECONDS;

/// Figures of which each end has one.
public enum EndFigure implements Key {
    /// Of the CPUs that the end may run on, whoever used them.
    CPUS_BUSY(total("cpus.busy", SECONDS)),
    CPUS_STEAL(total("cpus.steal", SECONDS)),
    CPUS_COUNT(level("cpus.count", CPUS)),

    /// What all TCP sockets of the host may hold.
    TCP_MEMORY_PRESSURE(level("tcpMemory.pressure", PAGES)),
    TCP_MEMORY_LIMIT(level("tcpMemory.limit", PAGES)),

    /// The connections that the kernel tracks.
    CONNTRACK_ENTRIES(level("conntrack.entries", COUNT)),

    /// Packets of connections that found no place.
    CONNTRACK_DROPS(total("conntrack.drops", COUNT)),

    /// Connections without an answer that the kernel gave up for another.
    CONNTRACK_EARLY_DROPS(total("conntrack.earlyDrops", COUNT)),

    /// Packets that the queues of the CPUs had no place for, host-wide.
    SOFTNET_DROPPED(total("softnet.dropped", COUNT)),

    /// The length of the queue of each CPU.
    SOFTNET_LIMIT(level("softnet.limit", COUNT)),

    /// The longest of these queues.
    SOFTNET_QUEUE(level("softnet.queue", COUNT)),

    /// Sockets that wait for a name server's answer.
    LOOKUPS_WAITING(level("lookups.waiting", COUNT)),

    /// How long the oldest of them has been seen to wait.
    LOOKUPS_LONGEST(level("lookups.longest", SECONDS));

    private final Form form;

    EndFigure(Form form) {
        this.form = form;
    }

    @Override
    public Form form() {
        return form;
    }
}
