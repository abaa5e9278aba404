package wallfinder.sampling;

import java.nio.file.AccessDeniedException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import wallfinder.linux.Listener;
import wallfinder.linux.SockDiag;
import wallfinder.linux.UnixListener;

/// Which processes of a service do its work. The pause process of a pod does none: it has no
/// socket, and it has hardly run. A process that only supervises does none either: its descendants
/// accept the connections.
final class WorkingProcesses {
    private static final int ANCESTORS_MAX = 64;

    /// An idle process has used less in its life. The start of a container takes a tenth of it.
    private static final double IDLE_CPU_SECONDS_MAX = 0.5;

    private final Map<Integer, Integer> parentOf = new HashMap<>();

    /// The processes that have a socket of any kind, hide their descriptors, or have run.
    private final Set<Integer> active = new HashSet<>();

    private final Map<Integer, Set<Long>> listenersOf = new HashMap<>();

    private WorkingProcesses(List<ProcessStat> members, Set<Long> listeners) {
        for (ProcessStat member : members) {
            parentOf.put(member.pid(), member.parent());
            if (member.cpuSeconds() >= IDLE_CPU_SECONDS_MAX) {
                active.add(member.pid());
            }
            addSockets(member.pid(), listeners);
        }
    }

    /// @param members with their descendants
    /// @param diag opened in their network namespace
    static Set<Integer> among(List<ProcessStat> members, SockDiag diag) {
        Set<Long> listeners =
                Stream.concat(
                                diag.listeners().stream().map(Listener::inode),
                                diag.unixListeners().stream().map(UnixListener::inode))
                        .collect(Collectors.toSet());
        return new WorkingProcesses(members, listeners).workers();
    }

    private void addSockets(int pid, Set<Long> listeners) {
        Set<Long> its = new HashSet<>();
        try {
            boolean _ =
                    Listeners.anyDescriptor(
                            pid,
                            target -> {
                                its.add(OwnSockets.inode(target));
                                return false;
                            });
        } catch (AccessDeniedException e) {
            active.add(pid);
        }
        its.removeIf(inode -> inode < 0);
        if (!its.isEmpty()) {
            active.add(pid);
        }
        its.retainAll(listeners);
        listenersOf.put(pid, its);
    }

    private Set<Integer> workers() {
        Set<Integer> acceptors = acceptors();
        Set<Integer> supervisors = new HashSet<>();
        acceptors.forEach(pid -> lineage(pid).forEach(supervisors::add));
        supervisors.removeAll(acceptors);
        IntPredicate isActive = active::contains;
        return parentOf.keySet().stream()
                .filter(pid -> !supervisors.contains(pid) && lineage(pid).anyMatch(isActive))
                .collect(Collectors.toSet());
    }

    /// The processes with a listening socket that none of their children shares.
    private Set<Integer> acceptors() {
        Map<Integer, Set<Long>> unshared = new HashMap<>();
        listenersOf.forEach((pid, its) -> unshared.put(pid, new HashSet<>(its)));
        parentOf.forEach((pid, parent) ->
                unshared.getOrDefault(parent, new HashSet<>())
                        .removeAll(listenersOf.getOrDefault(pid, Set.of())));
        unshared.values().removeIf(Set::isEmpty);
        return unshared.keySet();
    }

    /// The process and its ancestors among the members.
    private IntStream lineage(int pid) {
        return IntStream.iterate(pid, parentOf::containsKey, each -> parentOf.getOrDefault(each, 0))
                .limit(ANCESTORS_MAX);
    }
}
