package wallfinder.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.experiment.LoadSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.SockDiag;
import wallfinder.linux.UnixSocket;
import wallfinder.load.EngineThreads;
import wallfinder.load.LoadPlan;
import wallfinder.load.Sources;
import wallfinder.load.TlsPlan;
import wallfinder.load.TlsProbe;
import wallfinder.load.Variables;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.sampling.CpusReader;
import wallfinder.sampling.Hosts;
import wallfinder.sampling.ListenReader;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.LocalPortRange;
import wallfinder.sampling.NetstatReader;
import wallfinder.sampling.SockstatReader;
import wallfinder.sandbox.CpuPlan;

/// A service that is there already, driven from this host as it is. Nothing is changed. If the
/// service runs on this host it is watched too; its end then shares the host's counters with ours.
final class HostScene implements Scene {
    private static final Path PROC_NET = Path.of("/proc/self/net");
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");
    private static final Duration REACH_MAX = Duration.ofSeconds(5);

    /// From this part of the local ports on, the kernel's search for a free one gets slow: it looks
    /// at every other port first, and takes 20 to 40 times as long when those are used up.
    private static final double KERNELS_CHOICE_SHARE_MAX = 0.4;

    private final URI url;
    private final SocketAddress target;
    private final RunContext context;
    private final Origin origin;
    private final SockDiag sockets = SockDiag.open();
    private final List<Caveat> caveats = new ArrayList<>();
    private final boolean local;
    private final @Nullable WatchedService service;
    private final Variables variables = new Variables();

    HostScene(LoadSpec.Http http, Origin origin, RunContext context) {
        this.url = Urls.parse(http.url());
        this.origin = origin;
        this.context = context;
        if (http.unix() != null) {
            this.target = Urls.unix(http.unix());
            this.local = true;
            this.service = watched(owner(http.unix()));
        } else {
            InetSocketAddress inet = resolve(this.url);
            this.target = inet;
            this.local = Hosts.isLocal(inet.getAddress());
            this.service = local ? watched(owner(inet.getPort())) : null;
        }
    }

    static InetSocketAddress resolve(URI url) {
        try {
            return new InetSocketAddress(InetAddress.getByName(Urls.host(url)), Urls.port(url));
        } catch (UnknownHostException e) {
            throw new EnvironmentException(
                    "the host " + url.getHost() + " has no address",
                    "the name could not be looked up",
                    "check the name, or /etc/resolv.conf and /etc/hosts");
        }
    }

    /// Connects once, so that a wrong address is told before anything is made.
    ///
    /// @throws EnvironmentException if nothing accepts a connection there, or no handshake succeeds
    static void reach(LoadSpec.Http http) {
        URI url = Urls.parse(http.url());
        if (http.unix() != null) {
            Urls.unix(http.unix());
            UnixSocket.reach(http.unix());
            return;
        }
        TlsPlan tls = Urls.tls(http, url);
        if (tls != null) {
            TlsProbe.shake(resolve(url), tls);
            return;
        }
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(resolve(url), (int) REACH_MAX.toMillis());
        } catch (IOException e) {
            throw new EnvironmentException(
                    "nothing answers at " + http.url(),
                    String.valueOf(e.getMessage()),
                    "start the service, or check the address and the port");
        }
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
    public LoadPlan plan(LoadSpec.Http http, int connections) {
        int[] own = numbers(origin.cpus());
        EngineThreads threads = new EngineThreads(() -> {}, own, context.engine());
        return Urls.plan(http, url, target, connections, from(connections), threads, variables);
    }

    private Sources from(int connections) {
        if (!(target instanceof InetSocketAddress)) {
            return Sources.ANY;
        }
        LocalPortRange range = LocalPortRange.read(PROC_SYS_NET);
        if (origin.sources().isEmpty() && connections <= range.size() * KERNELS_CHOICE_SHARE_MAX) {
            return Sources.ANY;
        }
        return new Sources(origin.sources(), range.portMin(), range.portMax());
    }

    @Override
    public List<Reader> readers() {
        List<Reader> readers = new ArrayList<>();
        readers.add(new CpusReader(End.CLIENT, numbers(clientCpus())));
        if (target instanceof InetSocketAddress inet) {
            readers.add(new NetstatReader(PROC_NET, End.CLIENT));
            readers.add(new SockstatReader(PROC_NET, End.CLIENT));
            readers.addAll(service != null ? service.readers() : readersOfHost(inet.getPort()));
        } else if (service != null) {
            // Of a unix socket the network's counters tell nothing.
            readers.addAll(service.processReaders());
        }
        return readers;
    }

    /// Of a service whose process is hidden, its host's own counters.
    private List<Reader> readersOfHost(int port) {
        return local
                ? List.of(
                        new NetstatReader(PROC_NET, End.SERVER),
                        new SockstatReader(PROC_NET, End.SERVER),
                        new ListenReader(sockets, End.SERVER, port),
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
    public SortedMap<String, String> factors() {
        return new TreeMap<>();
    }

    @Override
    public void close() {
        sockets.close();
        if (service != null) {
            service.close();
        }
    }
}
