package wallfinder.sampling;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import wallfinder.linux.Listener;
import wallfinder.linux.SockDiag;

/// Finds the process behind a port, for watching a service that was not started here.
public final class Listeners {
    /// Processes beyond this many are not looked at.
    private static final int PROCESSES_MAX = 65_536;

    /// How long a command line is shown.
    private static final int COMMAND_CHARS_MAX = 4_096;

    private Listeners() {}

    /// Who listens on a port.
    public sealed interface Owner {
        /// It is this one.
        ///
        /// @param pid the process; of several that share the socket, the one that started the
        ///   others
        /// @param command its command line
        record Found(long pid, String command) implements Owner {}

        /// It could not be found out.
        ///
        /// @param reason why it is not known, a sentence without its full stop
        record Unknown(String reason) implements Owner {}
    }

    /// Looks in the network namespace of this thread.
    public static Owner ownerOf(int port) {
        Set<String> sockets;
        try (SockDiag diag = SockDiag.open()) {
            sockets =
                    diag.listeners().stream()
                            .filter(listener -> listener.port() == port)
                            .map(Listener::inode)
                            .map(inode -> "socket:[" + inode + "]")
                            .collect(Collectors.toSet());
        }
        if (sockets.isEmpty()) {
            return new Owner.Unknown("nothing listens on port " + port + " of this host");
        }
        return search(port, sockets);
    }

    /// The ports on which some processes and their descendants listen, lowest first.
    ///
    /// @param diag opened in their network namespace
    public static List<Integer> portsOf(SockDiag diag, long... roots) {
        Map<String, Integer> portOfSocket = new LinkedHashMap<>();
        diag.listeners().forEach(l -> portOfSocket.put("socket:[" + l.inode() + "]", l.port()));
        TreeSet<Integer> ports = new TreeSet<>();
        try (ProcessTree tree = new ProcessTree()) {
            tree.scan(roots);
            for (ProcessStat member : tree.members()) {
                ports.addAll(portsOf(member.pid(), portOfSocket));
            }
        }
        return List.copyOf(ports);
    }

    private static List<Integer> portsOf(int pid, Map<String, Integer> portOfSocket) {
        List<Integer> ports = new ArrayList<>();
        Path folder = Path.of("/proc/" + pid + "/fd");
        try (var descriptors = Files.newDirectoryStream(folder)) {
            for (Path descriptor : descriptors) {
                Integer port = portOfSocket.get(target(descriptor));
                if (port != null) {
                    ports.add(port);
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            return ports; // it has ended, or a descendant belongs to another user
        }
        return ports;
    }

    private static Owner search(int port, Set<String> sockets) {
        Map<Integer, Integer> parentOfOwner = new LinkedHashMap<>();
        int hidden = 0;
        List<Integer> pids =
                List.of(ProcessTree.names(new File("/proc"))).stream()
                        .map(ProcessTree::number)
                        .filter(pid -> pid > 0)
                        .limit(PROCESSES_MAX)
                        .toList();
        for (int pid : pids) {
            switch (holds(pid, sockets)) {
                case YES -> parentOfOwner.put(pid, parent(pid));
                case HIDDEN -> hidden++;
                case NO -> {}
            }
        }
        return parentOfOwner.isEmpty()
                ? new Owner.Unknown(whyUnseen(port, hidden))
                : found(parentOfOwner);
    }

    private static String whyUnseen(int port, int hidden) {
        String why =
                hidden > 0
                        ? "the descriptors of " + hidden + " processes may not be read: run as root"
                        : "it lives in another container or has just ended";
        return "the process that listens on port " + port + " cannot be seen, " + why;
    }

    /// Workers inherit the socket of the process that started them: the one whose parent does not
    /// hold it is told.
    private static Owner found(Map<Integer, Integer> parentOfOwner) {
        for (Map.Entry<Integer, Integer> owner : parentOfOwner.entrySet()) {
            if (!parentOfOwner.containsKey(owner.getValue())) {
                return new Owner.Found(owner.getKey(), command(owner.getKey()));
            }
        }
        throw new AssertionError("processes that are each other's parents: " + parentOfOwner);
    }

    private enum Holds {
        YES,
        NO,
        HIDDEN
    }

    private static Holds holds(int pid, Set<String> sockets) {
        Path folder = Path.of("/proc/" + pid + "/fd");
        try (var descriptors = Files.newDirectoryStream(folder)) {
            for (Path descriptor : descriptors) {
                if (sockets.contains(target(descriptor))) {
                    return Holds.YES;
                }
            }
            return Holds.NO;
        } catch (AccessDeniedException e) {
            return Holds.HIDDEN;
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            return Holds.NO; // it has ended
        }
    }

    private static String target(Path descriptor) throws AccessDeniedException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException e) {
            return ""; // it has just been closed
        }
    }

    private static int parent(int pid) {
        try (ProcessStat stat = new ProcessStat(pid)) {
            return stat.read() ? stat.parent() : 0;
        }
    }

    private static String command(int pid) {
        try (FileInputStream in = new FileInputStream("/proc/" + pid + "/cmdline")) {
            String line = new String(in.readNBytes(COMMAND_CHARS_MAX), StandardCharsets.UTF_8);
            return line.replace('\0', ' ').strip();
        } catch (IOException e) {
            return "";
        }
    }
}
