package wallfinder.lab;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.SockDiag;
import wallfinder.linux.SockDiag.PortOf;
import wallfinder.linux.UnixSocket;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.sampling.CpusReader;
import wallfinder.sampling.Hosts;
import wallfinder.sampling.ListenReader;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.NetstatReader;
import wallfinder.sampling.SockstatReader;
import wallfinder.sandbox.CpuPlan;

/// Both ends of a load that is driven from this host as it is, and what can be seen of them. If the
/// service runs here it is watched; its end then shares the host's counters with ours.
final class HostEnds implements Ends, AutoCloseable {
    private static final Path PROC_NET = Path.of("/proc/self/net");

    private final Origin origin;
    private final SockDiag sockets = SockDiag.open();
    private final List<Caveat> caveats = new ArrayList<>();

    /// That the service listens on; none of a unix socket.
    private final int[] ports;

    private final boolean local;
    private final @Nullable WatchedService service;

    /// @param count how many ports the service listens on, from that of the target on
    HostEnds(InetSocketAddress target, int count, Origin origin) {
        this.origin = origin;
        ports = IntStream.range(target.getPort(), target.getPort() + count).toArray();
        local = Hosts.isLocal(target.getAddress());
        service = local ? watched(owner(target.getPort())) : null;
    }

    /// @param unix the path of the service's socket
    HostEnds(String unix, Origin origin) {
        this.origin = origin;
        ports = new int[0];
        local = true;
        service = watched(owner(unix));
    }

    private @Nullable WatchedService watched(long pid) {
        if (pid == 0) {
            return null;
        }
        try {
            return WatchedService.ofPid(pid);
        } catch (EnvironmentException e) {
            caveats.add(new Caveat("server-process-hidden", e.getMessage() + ": " + e.todo()));
            return null;
        }
    }

    /// The process that listens there, or 0.
    private long owner(int port) {
        return switch (Listeners.ownerOf(port)) {
            case Listeners.Owner.Found found -> found.pid();
            case Listeners.Owner.Unknown unknown -> {
                caveats.add(
                        new Caveat(
                                "server-process-hidden",
                                "the process that listens on port "
                                        + port
                                        + " cannot be watched: "
                                        + unknown.reason()));
                yield 0;
            }
        };
    }

    /// The same for a unix socket. A socket that the first process of a host or container listens
    /// on is one that it hands to a service when somebody connects.
    private long owner(String path) {
        int process = UnixSocket.reach(path);
        if (process > 1) {
            return process;
        }
        caveats.add(
                new Caveat(
                        "server-process-hidden",
                        "the process behind the unix socket "
                                + path
                                + " cannot be watched: "
                                + (process == 1
                                        ? "process 1 listens for it"
                                        : "it lives in another container, or its queue is full")));
        return 0;
    }

    @Override
    public List<Reader> readers() {
        List<Reader> readers = new ArrayList<>();
        readers.add(new CpusReader(End.CLIENT, numbers(clientCpus())));
        if (ports.length > 0) {
            readers.add(new NetstatReader(PROC_NET, End.CLIENT));
            readers.add(new SockstatReader(PROC_NET, End.CLIENT));
            readers.addAll(service != null ? service.readers() : readersOfHost());
        } else if (service != null) {
            // Of a unix socket the network's counters tell nothing.
            readers.addAll(service.processReaders());
        }
        return readers;
    }

    /// Of the service's processes alone; none if they are hidden.
    List<Reader> serviceReaders() {
        return service == null ? List.of() : service.cpuReaders();
    }

    /// Of a service whose process is hidden, its host's own counters.
    private List<Reader> readersOfHost() {
        return local
                ? List.of(
                        new NetstatReader(PROC_NET, End.SERVER),
                        new SockstatReader(PROC_NET, End.SERVER),
                        new ListenReader(sockets, End.SERVER, ports),
                        new CpusReader(End.SERVER, numbers(serverCpus())))
                : List.of();
    }

    private static int[] numbers(BitSet cpus) {
        return cpus.stream().toArray();
    }

    private BitSet clientCpus() {
        return origin.cpus().isEmpty() ? CpuPlan.allowed() : origin.cpus();
    }

    private BitSet serverCpus() {
        return service != null ? service.cpus() : CpuPlan.allowed();
    }

    /// Where the service is reached by another port than its own, its kernel is not asked.
    @Override
    public List<LoadOutcome.Sockets> established(int port, int ports) {
        int last = port + ports - 1;
        List<LoadOutcome.Sockets> counts = new ArrayList<>();
        if (service != null && service.listensWithin(port, last)) {
            counts.add(new LoadOutcome.Sockets(End.SERVER, service.established(port, last)));
        } else if (service == null && local) {
            long ofServer = sockets.established(PortOf.THIS_END, port, last);
            counts.add(new LoadOutcome.Sockets(End.SERVER, ofServer));
        }
        long ofClient = sockets.established(PortOf.OTHER_END, port, last);
        counts.add(new LoadOutcome.Sockets(End.CLIENT, ofClient));
        return counts;
    }

    @Override
    public SandboxFacts facts() {
        return new SandboxFacts(
                "host",
                new TreeMap<>(),
                new TreeMap<>(),
                serverCpus().cardinality(),
                clientCpus().cardinality(),
                local && serverCpus().intersects(clientCpus()),
                Limits.NONE,
                service != null,
                service != null ? List.of(service.identity()) : List.of(),
                caveats);
    }

    @Override
    public void close() {
        sockets.close();
        if (service != null) {
            service.close();
        }
    }
}
