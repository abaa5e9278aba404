package wallfinder.sandbox;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Proxy;
import java.net.Socket;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.Processes;
import wallfinder.linux.SockDiag;

/// The other network namespaces of this host, such as those of its containers.
///
/// An address does not prove that a service is in one of them: a namespace may have the address of
/// a host that is far away. So we connect, and look for the other end of this connection.
public final class NeighbourNetworks {
    private static final Path PROC = Path.of("/proc");
    private static final Path LINKS = Path.of("/sys/class/net");
    private static final String NET = "ns/net";
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

    private static final int PROCESSES_MAX = 65_536;

    /// Entering one and asking for its sockets takes about a millisecond.
    private static final int NETWORKS_MAX = 1_024;

    private final Map<Path, Long> processOfNetwork = new LinkedHashMap<>();
    private boolean hidden;

    private NeighbourNetworks() {}

    /// Where a connection leads.
    public sealed interface Place {
        /// @param network of a process in the namespace; the caller closes it
        record Inside(Residence network) implements Place {}

        /// On another host, as far as this host shows.
        record Elsewhere() implements Place {}

        /// The link to the address is a virtual one, and some namespaces are hidden from this user.
        record Hidden() implements Place {}
    }

    /// Connects to the address, which does not belong to our own namespace.
    public static Place of(InetSocketAddress target) {
        NeighbourNetworks networks = new NeighbourNetworks();
        networks.look();
        if (networks.processOfNetwork.isEmpty() && !networks.hidden) {
            return new Place.Elsewhere();
        }
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(target, (int) CONNECT_MAX.toMillis());
            return networks.other(socket);
        } catch (IOException e) {
            return new Place.Elsewhere(); // nothing answers
        }
    }

    /// Finds a process in each namespace.
    private void look() {
        hidden = !Processes.othersListed();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            Path own = Files.readSymbolicLink(PROC.resolve("self").resolve(NET));
            int seen = 0;
            for (Path process : processes) {
                if (++seen > PROCESSES_MAX || processOfNetwork.size() >= NETWORKS_MAX) {
                    return;
                }
                look(process, own);
            }
        } catch (IOException | DirectoryIteratorException e) {
            hidden = true;
        }
    }

    private void look(Path process, Path own) {
        try {
            Path network = Files.readSymbolicLink(process.resolve(NET));
            if (!network.equals(own)) {
                processOfNetwork.putIfAbsent(
                        network, Long.valueOf(String.valueOf(process.getFileName())));
            }
        } catch (NoSuchFileException e) {
            // It has ended.
        } catch (IOException e) {
            hidden = true;
        }
    }

    private Place other(Socket connection) throws IOException {
        InetSocketAddress here = (InetSocketAddress) connection.getLocalSocketAddress();
        InetSocketAddress there = (InetSocketAddress) connection.getRemoteSocketAddress();
        for (long pid : processOfNetwork.values()) {
            Optional<Residence> network = enter(pid, there, here);
            if (network.isPresent()) {
                return new Place.Inside(network.get());
            }
        }
        return hidden && isVirtual(here) ? new Place.Hidden() : new Place.Elsewhere();
    }

    /// The network of the process, if it has this end of the connection.
    private Optional<Residence> enter(
            long pid, InetSocketAddress thisEnd, InetSocketAddress otherEnd) {
        Residence network = null;
        boolean has = false;
        try {
            network = Residence.of(pid);
            has = network.inside(() -> has(thisEnd, otherEnd));
        } catch (UsageException e) {
            // The process has ended.
        } catch (EnvironmentException e) {
            hidden = true;
        }
        if (network != null && !has) {
            network.close();
        }
        return has ? Optional.ofNullable(network) : Optional.empty();
    }

    private static boolean has(InetSocketAddress thisEnd, InetSocketAddress otherEnd) {
        try (SockDiag sockets = SockDiag.open()) {
            return sockets.has(thisEnd, otherEnd);
        }
    }

    /// Whether packets from this address leave over a link without a device, such as a bridge or
    /// one end of a veth pair.
    private static boolean isVirtual(InetSocketAddress own) throws IOException {
        NetworkInterface link = NetworkInterface.getByInetAddress(own.getAddress());
        return link != null && Files.notExists(LINKS.resolve(link.getName()).resolve("device"));
    }
}
