package wallfinder.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import wallfinder.experiment.LoadSpec;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.SockDiag;
import wallfinder.load.EngineThreads;
import wallfinder.load.LoadPlan;
import wallfinder.load.Sources;
import wallfinder.load.TlsPlan;
import wallfinder.load.TlsProbe;
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
import wallfinder.sampling.ProcessReader;
import wallfinder.sampling.SockstatReader;
import wallfinder.sandbox.CpuPlan;

/// A service that is there already, driven from this host as it is. Nothing is changed. If the
/// service runs on this host it is watched too; its end then shares the host's counters with ours.
final class HostScene implements Scene {
    private static final Path PROC_NET = Path.of("/proc/self/net");
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");
    private static final Duration REACH_MAX = Duration.ofSeconds(5);
    private static final String SERVICE = "server";

    private final URI url;
    private final InetSocketAddress target;
    private final RunContext context;
    private final List<InetAddress> sources;
    private final SockDiag sockets = SockDiag.open();
    private final List<Caveat> caveats = new ArrayList<>();
    private final boolean local;
    private final long pid;

    /// @param sources the addresses to connect from; empty: the kernel chooses
    HostScene(String url, List<InetAddress> sources, RunContext context) {
        this.url = Urls.parse(url);
        this.target = resolve(this.url);
        this.sources = sources;
        this.context = context;
        this.local = Hosts.isLocal(target.getAddress());
        this.pid = local ? owner() : 0;
    }

    private static InetSocketAddress resolve(URI url) {
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
        TlsPlan tls = Urls.tls(http, url);
        if (tls != null) {
            TlsProbe.shake(resolve(url), tls);
            return;
        }
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(resolve(url), (int) REACH_MAX.toMillis());
        } catch (IOException e) {
            throw new EnvironmentException(
                    "nothing answers at " + url,
                    String.valueOf(e.getMessage()),
                    "start the service, or check the address and the port");
        }
    }

    /// The process that listens there, or 0.
    private long owner() {
        return switch (Listeners.ownerOf(target.getPort())) {
            case Listeners.Owner.Found found -> found.pid();
            case Listeners.Owner.Unknown unknown -> {
                caveats.add(
                        new Caveat(
                                "server-process-hidden",
                                "the process that listens on port "
                                        + target.getPort()
                                        + " cannot be watched: "
                                        + unknown.reason()));
                yield 0;
            }
        };
    }

    @Override
    public LoadPlan plan(LoadSpec.Http http, int connections) {
        EngineThreads threads = EngineThreads.free(context.engine());
        return Urls.plan(http, url, target, connections, from(), threads);
    }

    private Sources from() {
        if (sources.isEmpty()) {
            return Sources.ANY;
        }
        LocalPortRange range = LocalPortRange.read(PROC_SYS_NET);
        return new Sources(sources, range.portMin(), range.portMax());
    }

    @Override
    public List<Reader> readers() {
        List<Reader> readers = new ArrayList<>();
        readers.add(new NetstatReader(PROC_NET, End.CLIENT));
        readers.add(new SockstatReader(PROC_NET, End.CLIENT));
        readers.add(new CpusReader(End.CLIENT, cpus()));
        if (local) {
            readers.add(new NetstatReader(PROC_NET, End.SERVER));
            readers.add(new ListenReader(sockets, End.SERVER, target.getPort()));
            readers.add(new CpusReader(End.SERVER, cpus()));
        }
        if (pid > 0) {
            readers.add(new ProcessReader(End.SERVER, SERVICE, () -> pid));
        }
        return readers;
    }

    private static int[] cpus() {
        return allowed().stream().toArray();
    }

    private static BitSet allowed() {
        return CpuPlan.allowed();
    }

    @Override
    public SandboxFacts facts() {
        int cpus = allowed().cardinality();
        List<SandboxFacts.ServiceFacts> services =
                pid > 0
                        ? List.of(
                                new SandboxFacts.ServiceFacts(
                                        SERVICE,
                                        pid,
                                        List.of(target.getPort()),
                                        new TreeMap<>(),
                                        null))
                        : List.of();
        return new SandboxFacts(
                "host",
                new TreeMap<>(),
                new TreeMap<>(),
                cpus,
                cpus,
                local,
                pid > 0,
                services,
                caveats);
    }

    @Override
    public SortedMap<String, String> factors() {
        return new TreeMap<>();
    }

    @Override
    public void close() {
        sockets.close();
    }
}
