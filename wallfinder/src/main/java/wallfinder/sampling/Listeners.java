package wallfinder.sampling;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import wallfinder.linux.Listener;
import wallfinder.linux.Processes;
import wallfinder.linux.SockDiag;
import wallfinder.linux.UnixListener;

/// Finds the process behind a port, to watch a service that Wallfinder did not start.
public final class Listeners {
    private static final int PROCESSES_MAX = 65_536;

    private static final int COMMAND_CHARS_MAX = 4_096;

    private Listeners() {}

    public sealed interface Owner {
        /// @param pid the process; if several share the socket, the one that started the others
        record Found(long pid, String command) implements Owner {}

        /// @param reason why the owner is unknown, without a full stop
        record Unknown(String reason) implements Owner {}
    }

    /// Looks in the network namespace of this thread.
    public static Owner ownerOf(int port) {
        return ownerOf(port, socketsOn(port));
    }

    /// The owner of the socket that gets the connections to this address. Another process may
    /// listen on the same port of another address. Looks in the network namespace of this thread.
    public static Owner ownerOf(InetSocketAddress target) {
        return ownerOf(target.getPort(), accepting(target, socketsOn(target.getPort())));
    }

    /// Like the kernel, prefers a socket that listens on the very address.
    static List<Listener> accepting(InetSocketAddress target, List<Listener> onPort) {
        InetAddress address = target.getAddress();
        if (address.isAnyLocalAddress()) {
            return onPort;
        }
        List<Listener> exact = onPort.stream().filter(l -> l.address().equals(address)).toList();
        return exact.isEmpty()
                ? onPort.stream().filter(l -> l.address().isAnyLocalAddress()).toList()
                : exact;
    }

    private static Owner ownerOf(int port, List<Listener> listeners) {
        if (listeners.isEmpty()) {
            return new Owner.Unknown("nothing listens on port " + port + " of this host");
        }
        Owners owners = owners(listeners);
        return owners.parentOf().isEmpty()
                ? new Owner.Unknown(whyUnknown(owners))
                : found(owners.parentOf());
    }

    /// Where a service listens.
    ///
    /// @param ports lowest first
    /// @param own its addresses on ports that it shares with others
    /// @param others the addresses on which only other services listen, on the same ports
    public record Places(
            List<Integer> ports, Set<InetSocketAddress> own, Set<InetSocketAddress> others) {
        /// Ports that no other service shares.
        public static Places of(List<Integer> ports) {
            return new Places(ports, Set.of(), Set.of());
        }

        private static Places of(
                Set<Integer> ports, Set<InetSocketAddress> own, List<Listener> all) {
            return new Places(
                    ports.stream().sorted().toList(),
                    own,
                    all.stream()
                            .filter(l -> ports.contains(l.port()))
                            .map(Listeners::place)
                            .filter(place -> !own.contains(place))
                            .collect(Collectors.toSet()));
        }

        /// Whether a connection to this address is one of the service's. Like the kernel, prefers a
        /// socket that listens on the very address.
        boolean serves(InetSocketAddress address) {
            if (others.contains(address)) {
                return false;
            }
            return own.contains(address)
                    || covers(own, address.getPort())
                    || !covers(others, address.getPort());
        }

        private static boolean covers(Set<InetSocketAddress> places, int port) {
            return places.stream()
                    .anyMatch(place ->
                            place.getPort() == port && place.getAddress().isAnyLocalAddress());
        }
    }

    /// The places of the sockets that get the connections to an address, whosever they are.
    ///
    /// @param diag opened in their network namespace
    /// @param count the number of ports, from the target's port on
    public static Places placesAt(SockDiag diag, InetSocketAddress target, int count) {
        List<Listener> all = diag.listeners();
        Set<Integer> ports = new TreeSet<>();
        Set<InetSocketAddress> own = new HashSet<>();
        for (int port = target.getPort(); port < target.getPort() + count; port++) {
            int wanted = port;
            ports.add(port);
            accepting(target, all.stream().filter(l -> l.port() == wanted).toList())
                    .forEach(listener -> own.add(place(listener)));
        }
        return Places.of(ports, own, all);
    }

    /// The places on which some processes and their descendants listen.
    ///
    /// @param diag opened in their network namespace
    public static Places placesOf(SockDiag diag, long... roots) {
        List<Listener> all = diag.listeners();
        Set<Long> own;
        try (OwnSockets sockets = new OwnSockets(() -> roots)) {
            own = sockets.among(all.stream().map(Listener::inode).collect(Collectors.toSet()));
        }
        TreeSet<Integer> ports = new TreeSet<>();
        Set<InetSocketAddress> addresses = new HashSet<>();
        for (Listener listener : all) {
            if (own.contains(listener.inode())) {
                ports.add(listener.port());
                addresses.add(place(listener));
            }
        }
        return Places.of(ports, addresses, all);
    }

    /// The names of the unix sockets on which some processes and their descendants listen.
    public static List<String> unixSocketsOf(SockDiag diag, long... roots) {
        List<UnixListener> all = diag.unixListeners();
        try (OwnSockets sockets = new OwnSockets(() -> roots)) {
            Set<Long> own =
                    sockets.among(
                            all.stream().map(UnixListener::inode).collect(Collectors.toSet()));
            return all.stream()
                    .filter(listener -> own.contains(listener.inode()))
                    .map(UnixListener::name)
                    .sorted()
                    .toList();
        }
    }

    static InetSocketAddress place(Listener listener) {
        return new InetSocketAddress(listener.address(), listener.port());
    }

    /// The processes that accept connections to a port: those that share its socket and did not
    /// start another one that shares it. Empty if they are hidden.
    public static List<Integer> acceptorsOf(int port) {
        Map<Integer, Integer> parentOf = owners(socketsOn(port)).parentOf();
        return parentOf.keySet().stream().filter(pid -> !parentOf.containsValue(pid)).toList();
    }

    private static List<Listener> socketsOn(int port) {
        try (SockDiag diag = SockDiag.open()) {
            return diag.listeners().stream().filter(l -> l.port() == port).toList();
        }
    }

    private static Set<String> names(List<Listener> listeners) {
        return listeners.stream().map(Listeners::name).collect(Collectors.toSet());
    }

    /// The target of a descriptor's link.
    private static String name(Listener listener) {
        return "socket:[" + listener.inode() + "]";
    }

    /// The processes with a socket.
    ///
    /// @param parentOf those that may accept from it, each with its parent
    /// @param hidden how many processes hide their descriptors
    /// @param systemd whether systemd has it, for a service that it starts when a connection comes
    private record Owners(Map<Integer, Integer> parentOf, int hidden, boolean systemd) {}

    private static Owners owners(List<Listener> listeners) {
        Set<String> sockets = names(listeners);
        Map<Integer, Integer> parentOf = new LinkedHashMap<>();
        int hidden = 0;
        boolean systemd = false;
        List<Integer> pids =
                List.of(ProcessTree.names(new File("/proc"))).stream()
                        .map(ProcessTree::number)
                        .filter(pid -> pid > 0)
                        .limit(PROCESSES_MAX)
                        .toList();
        for (int pid : pids) {
            try {
                if (!anyDescriptor(pid, sockets::contains)) {
                    continue;
                }
                if (text(pid, "comm").equals("systemd")) {
                    systemd = true;
                } else {
                    parentOf.put(pid, ProcessStat.parentOf(pid));
                }
            } catch (AccessDeniedException e) {
                hidden++;
            }
        }
        return new Owners(parentOf, hidden, systemd);
    }

    private static String whyUnknown(Owners owners) {
        if (owners.systemd()) {
            return "systemd starts its service when a connection comes, and it does not run yet:"
                    + " send a request first";
        }
        if (!Processes.othersListed()) {
            return "/proc hides the processes of others from this user (hidepid): run as root";
        }
        return owners.hidden() > 0
                ? "this user may not read the descriptors of %d processes: run as root"
                        .formatted(owners.hidden())
                : "it runs in another container or has just ended";
    }

    /// Workers inherit the socket from the process that started them, so the owner is the process
    /// whose parent does not have the socket.
    private static Owner found(Map<Integer, Integer> parentOf) {
        for (Map.Entry<Integer, Integer> owner : parentOf.entrySet()) {
            if (!parentOf.containsKey(owner.getValue())) {
                return new Owner.Found(owner.getKey(), text(owner.getKey(), "cmdline"));
            }
        }
        throw new AssertionError("processes that are each other's parents: " + parentOf);
    }

    /// Whether a process has a descriptor whose link leads to a wanted target.
    ///
    /// @throws AccessDeniedException if this user may not read the descriptors
    static boolean anyDescriptor(int pid, Predicate<String> wanted) throws AccessDeniedException {
        Path folder = Path.of("/proc/" + pid + "/fd");
        try (var descriptors = Files.newDirectoryStream(folder)) {
            for (Path descriptor : descriptors) {
                if (wanted.test(target(descriptor))) {
                    return true;
                }
            }
            return false;
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException | DirectoryIteratorException e) {
            return false; // the process has ended
        }
    }

    private static String target(Path descriptor) throws AccessDeniedException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException e) {
            return ""; // the process has just closed it
        }
    }

    /// The words of a file of a process; empty if the process has ended.
    private static String text(int pid, String file) {
        try (FileInputStream in = new FileInputStream("/proc/" + pid + "/" + file)) {
            String line = new String(in.readNBytes(COMMAND_CHARS_MAX), StandardCharsets.UTF_8);
            return line.replace('\0', ' ').strip();
        } catch (IOException e) {
            return "";
        }
    }
}
