package wallfinder.lab.trial;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.lab.peer.WatchedService;
import wallfinder.lab.session.RunContext;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.PortOf;
import wallfinder.linux.SockDiag;
import wallfinder.linux.UnixSocket;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.LocalAddresses;
import wallfinder.sampling.WatchedEnd;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.Residence;

/// Both ends of a load from this host, without a sandbox. If the service runs on this host, it is
/// watched too. The host's counters then include both ends, unless the service has a network
/// namespace of its own.
public final class HostConnectionEnds implements ConnectionEnds, AutoCloseable {
    private static final Path PROC_NET = Path.of("/proc/self/net");

    private final Origin origin;
    private final SockDiag sockets = SockDiag.open();
    private final List<Caveat> caveats = new ArrayList<>();

    /// The ports that the service listens on; none for a unix socket.
    private final List<Integer> ports;

    private final boolean local;
    private final Listeners.Places places;
    private final @Nullable WatchedService service;

    /// @param count the number of ports that the service listens on, from the target's port on
    public HostConnectionEnds(
            InetSocketAddress target, int count, Origin origin, RunContext context) {
        this.origin = origin;
        caveats.addAll(context.lock().caveats());
        ports = IntStream.range(target.getPort(), target.getPort() + count).boxed().toList();
        local = LocalAddresses.isLocal(target.getAddress());
        places = Listeners.placesAt(sockets, target, count);
        service = watched(owner(target));
        if (service != null && service.ownNetwork()) {
            context.progress()
                    .say(
                            "watching %s, which has a network namespace of its own"
                                    .formatted(service.describe()));
        }
    }

    /// @param unix the path of the service's socket
    HostConnectionEnds(String unix, Origin origin, RunContext context) {
        this.origin = origin;
        caveats.addAll(context.lock().caveats());
        ports = List.of();
        places = Listeners.Places.of(ports);
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
            caveats.add(
                    Doubt.SERVER_PROCESS_HIDDEN.caveat(String.valueOf(e.getMessage()), e.todo()));
            return null;
        }
    }

    /// The process that gets the connections, or 0 if it is unknown or on another host.
    private long owner(InetSocketAddress target) {
        return switch (TargetProcess.of(target)) {
            case TargetProcess.Found(long pid) -> pid;
            case TargetProcess.Elsewhere _ -> 0;
            case TargetProcess.Unknown(String reason) -> hidden(target, reason);
            case TargetProcess.Unclear(String reason) -> hidden(target, reason);
        };
    }

    private long hidden(InetSocketAddress target, String reason) {
        caveats.add(
                Doubt.SERVER_PROCESS_HIDDEN.caveat(
                        "the process that listens on port "
                                + target.getPort()
                                + " cannot be watched",
                        reason));
        return 0;
    }

    /// The process that listens on a unix socket, or 0 if unknown. If process 1 of a host or
    /// container listens, it passes the socket to a service at the first connect.
    private long owner(String path) {
        int process = UnixSocket.reach(path);
        if (process > 1) {
            return process;
        }
        caveats.add(
                Doubt.SERVER_PROCESS_HIDDEN.caveat(
                        "the process behind the unix socket " + path + " cannot be watched",
                        process == 1
                                ? "process 1 listens for it"
                                : "it runs in another container, or its queue is full"));
        return 0;
    }

    @Override
    public List<Reader> readers() {
        if (ports.isEmpty()) {
            // The network's counters say nothing about a unix socket.
            List<Reader> readers =
                    new ArrayList<>(
                            new WatchedEnd.Programs(End.CLIENT, clientCpus(), List.of()).readers());
            readers.addAll(service == null ? List.of() : service.processReaders());
            return readers;
        }
        List<Reader> readers =
                new ArrayList<>(
                        new WatchedEnd.HostEngine(network(End.CLIENT, clientCpus())).readers());
        if (service != null) {
            readers.addAll(service.readers());
        } else if (local) {
            WatchedEnd.Network network = network(End.SERVER, cpusOfServer());
            readers.addAll(new WatchedEnd.HiddenServer(network, sockets, places).readers());
        }
        return readers;
    }

    private static WatchedEnd.Network network(End end, BitSet cpus) {
        return new WatchedEnd.Network(end, PROC_NET, cpus);
    }

    /// Readers of the service's CPU time; none if its processes are hidden.
    List<Reader> serviceReaders() {
        return service == null ? List.of() : service.cpuReaders();
    }

    /// The service's processes; none if they are hidden or on another host.
    long[] processes() {
        return service == null ? new long[0] : service.processes();
    }

    private BitSet clientCpus() {
        return origin.cpus().isEmpty() ? CpuPlan.allowed() : origin.cpus();
    }

    private BitSet cpusOfServer() {
        return service != null ? service.cpus() : CpuPlan.allowed();
    }

    /// Leaves out the service's kernel if clients use another port than the service listens on.
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
    public int serverCpus() {
        return cpusOfServer().cardinality();
    }

    @Override
    public SandboxFacts facts() {
        boolean onThisHost = local || service != null;
        List<Caveat> all = new ArrayList<>(caveats);
        all.addAll(service == null ? List.of() : service.caveats());
        return new SandboxFacts(
                service != null && service.ownNetwork() ? SandboxFacts.SERVER_APART : "host",
                serverSysctls(),
                service != null && !service.ownNetwork() ? service.sysctls() : new TreeMap<>(),
                serverCpus(),
                clientCpus().cardinality(),
                onThisHost && cpusOfServer().intersects(clientCpus()),
                Limits.NONE,
                service != null,
                service != null ? List.of(service.identity()) : List.of(),
                all);
    }

    /// A hidden service on one of our addresses has the settings of our network.
    private SortedMap<String, String> serverSysctls() {
        if (service != null) {
            return service.sysctls();
        }
        if (!local || ports.isEmpty()) {
            return new TreeMap<>();
        }
        try (Residence here = Residence.of(ProcessHandle.current().pid())) {
            return here.sysctls();
        }
    }

    @Override
    public void close() {
        sockets.close();
        if (service != null) {
            service.close();
        }
    }
}
