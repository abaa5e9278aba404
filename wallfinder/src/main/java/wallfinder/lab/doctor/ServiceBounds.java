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

/// All limits of a service: its queues, its processes, and its cgroup. The calling thread must be
/// in the service's network namespace.
final class ServiceBounds {
    private ServiceBounds() {}

    /// Whether these are the limits of a JVM.
    static boolean ofJvm(List<Bound> bounds) {
        return bounds.stream().anyMatch(bound -> bound.kind() == Bound.Kind.HEAP);
    }

    /// The ports that a process and its descendants listen on.
    static List<Integer> ports(long pid) {
        try (SockDiag sockets = SockDiag.open()) {
            return Listeners.placesOf(sockets, pid).ports();
        }
    }

    /// @param ports the ports that the service listens on
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
        List<Bound> limits =
                ForeignCgroup.of(pid)
                        .map(cgroup -> CgroupBounds.of(End.SERVER, cgroup.dirs()))
                        .orElse(List.of());
        for (Bound limit : limits) {
            bounds.add(limit);
            if (limit.kind() == Bound.Kind.CGROUP_MEMORY) {
                memoryBytes = Math.min(memoryBytes, limit.limit());
            }
        }
        bounds.addAll(ProcessBounds.of(End.SERVER, List.copyOf(acceptors), memoryBytes));
        return bounds;
    }
}
