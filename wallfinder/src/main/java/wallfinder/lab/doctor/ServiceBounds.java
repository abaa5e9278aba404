package wallfinder.lab.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import wallfinder.lab.session.HostFacts;
import wallfinder.linux.SockDiag;
import wallfinder.observation.Bound;
import wallfinder.observation.End;
import wallfinder.sampling.CgroupBounds;
import wallfinder.sampling.HostBounds;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.ProcessBounds;
import wallfinder.sandbox.ForeignCgroup;

/// All limits of a service: its queues, its processes, its cgroup. Asked on a thread in the
/// service's network namespace.
final class ServiceBounds {
    private ServiceBounds() {}

    /// Whether they are those of a JVM.
    static boolean ofJvm(List<Bound> bounds) {
        return bounds.stream().anyMatch(bound -> bound.kind() == Bound.Kind.HEAP);
    }

    /// The ports that a process and its descendants listen on.
    static List<Integer> ports(long pid) {
        try (SockDiag sockets = SockDiag.open()) {
            return Listeners.portsOf(sockets, pid);
        }
    }

    /// @param ports it is reached by
    /// @param pid the process whose cgroup counts
    static List<Bound> of(HostBounds host, List<Integer> ports, long pid) {
        List<Bound> bounds = new ArrayList<>();
        TreeSet<Integer> acceptors = new TreeSet<>();
        for (int port : ports) {
            bounds.addAll(host.listeners(port));
            acceptors.addAll(Listeners.acceptorsOf(port));
        }
        if (acceptors.isEmpty()) {
            acceptors.add((int) pid);
        }
        double memoryBytes = HostFacts.memoryBytes();
        var cgroup = ForeignCgroup.of(pid);
        if (cgroup.isPresent()) {
            List<Bound> limits = CgroupBounds.of(End.SERVER, cgroup.get().dirs());
            bounds.addAll(limits);
            for (Bound limit : limits) {
                if (limit.kind() == Bound.Kind.CGROUP_MEMORY) {
                    memoryBytes = Math.min(memoryBytes, limit.limit());
                }
            }
        }
        bounds.addAll(ProcessBounds.of(End.SERVER, List.copyOf(acceptors), memoryBytes));
        return bounds;
    }
}
