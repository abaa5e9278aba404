package wallfinder.sampling;

import java.nio.file.AccessDeniedException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The sockets of some processes and their descendants, by their descriptors.
final class OwnSockets implements AutoCloseable {
    private static final String PREFIX = "socket:[";

    private final Supplier<long[]> roots;
    private final ProcessTree tree = new ProcessTree();
    private boolean hidden;

    /// The sockets of which it is known whether they are the service's.
    private final Map<Long, Boolean> known = new HashMap<>();

    OwnSockets(Supplier<long[]> roots) {
        this.roots = roots;
    }

    /// The same as [#among], but looks at the descriptors only if there is a new socket.
    ///
    /// @param open the numbers of all sockets of a kind
    Set<Long> of(Set<Long> open) {
        known.keySet().retainAll(open);
        Set<Long> unknown = new HashSet<>(open);
        unknown.removeAll(known.keySet());
        if (!unknown.isEmpty()) {
            Set<Long> its = among(unknown);
            unknown.forEach(socket -> known.put(socket, its.contains(socket)));
        }
        return open.stream().filter(known::get).collect(Collectors.toSet());
    }

    /// Looks at all descriptors of the processes.
    ///
    /// @param inodes the numbers of some sockets
    /// @return those that belong to the processes
    Set<Long> among(Set<Long> inodes) {
        Set<Long> own = new HashSet<>();
        hidden = false;
        tree.scan(roots.get());
        for (ProcessStat member : tree.members()) {
            addSockets(member.pid(), inodes, own);
        }
        return own;
    }

    /// Whether one of the processes hid its descriptors at the last look.
    boolean hidden() {
        return hidden;
    }

    /// The processes at the last look. All that have one of the sockets are among them.
    List<ProcessStat> processes() {
        return tree.members();
    }

    private void addSockets(int pid, Set<Long> inodes, Set<Long> own) {
        try {
            boolean _ =
                    Listeners.anyDescriptor(
                            pid,
                            target -> {
                                long inode = inode(target);
                                if (inodes.contains(inode)) {
                                    own.add(inode);
                                }
                                return own.size() == inodes.size();
                            });
        } catch (AccessDeniedException e) {
            hidden = true; // a descendant belongs to another user
        }
    }

    /// The number of the socket that a descriptor leads to; negative if it is none.
    static long inode(String target) {
        return target.startsWith(PREFIX)
                ? Long.parseLong(target, PREFIX.length(), target.length() - 1, 10)
                : -1;
    }

    @Override
    public void close() {
        tree.close();
    }
}
