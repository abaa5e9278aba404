package wallfinder.lab.trial;

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
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.UnixSocket;
import wallfinder.load.EngineThreads;
import wallfinder.load.LoadPlan;
import wallfinder.load.Sources;
import wallfinder.load.TlsPlan;
import wallfinder.load.TlsProbe;
import wallfinder.load.Variables;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.sampling.LocalPortRange;

/// A running service, driven from this host without a sandbox. Wallfinder changes no setting. If
/// the service runs on this host, it is watched too, and the host's counters include both ends.
public final class HostTestbed implements Testbed {
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");
    private static final Duration REACH_MAX = Duration.ofSeconds(5);

    /// Above this share of the local ports the kernel's search for a free port gets slow: it tries
    /// every second port first, and takes 20 to 40 times as long once these are used up.
    private static final double KERNELS_CHOICE_SHARE_MAX = 0.4;

    private final URI url;
    private final SocketAddress target;
    private final RunContext context;
    private final Origin origin;
    private final HostConnectionEnds ends;
    private final @Nullable ServerSide server;
    private final Variables variables = new Variables();

    /// @param server who watches the service on its own host, or null
    public HostTestbed(
            LoadSpec.Http http, Origin origin, @Nullable ServerSide server, RunContext context) {
        this.server = server;
        this.url = Urls.parse(http.url());
        this.origin = origin;
        this.context = context;
        if (http.unix() != null) {
            this.target = Urls.unix(http.unix());
            this.ends = new HostConnectionEnds(http.unix(), origin, context);
        } else {
            InetSocketAddress inet = chosen(this.url);
            this.target = inet;
            sayIfOneOfSeveral(Urls.host(this.url), inet.getAddress());
            this.ends = new HostConnectionEnds(inet, 1, origin, context);
        }
    }

    public static InetSocketAddress resolve(String host, int port) {
        return new InetSocketAddress(addresses(host).getFirst(), port);
    }

    /// Of a name with several addresses, the first one that accepts a connection. A local service
    /// may listen on one of 127.0.0.1 and ::1 only.
    public static InetSocketAddress chosen(String host, int port) {
        return chosen(addresses(host), port);
    }

    static InetSocketAddress chosen(List<InetAddress> all, int port) {
        return all.stream()
                .map(address -> new InetSocketAddress(address, port))
                .filter(target -> all.size() == 1 || accepts(target))
                .findFirst()
                .orElseGet(() -> new InetSocketAddress(all.getFirst(), port));
    }

    public static InetSocketAddress chosen(URI url) {
        return chosen(Urls.host(url), Urls.port(url));
    }

    private static boolean accepts(InetSocketAddress target) {
        try {
            connect(target);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void connect(InetSocketAddress target) throws IOException {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(target, (int) REACH_MAX.toMillis());
        }
    }

    private void sayIfOneOfSeveral(String host, InetAddress one) {
        long alike =
                addresses(host).stream()
                        .filter(address -> address.getClass() == one.getClass())
                        .count();
        if (alike > 1) {
            context.progress()
                    .say(
                            "%s has %d addresses: all requests go to %s"
                                    .formatted(host, alike, one.getHostAddress()));
        }
    }

    private static List<InetAddress> addresses(String host) {
        try {
            return List.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            throw new EnvironmentException(
                    "the host " + host + " has no address",
                    "the name could not be looked up",
                    "check the name, or /etc/resolv.conf and /etc/hosts");
        }
    }

    /// Connects once, so that a wrong address fails before the run begins.
    ///
    /// @throws EnvironmentException if nothing accepts a connection there, or no handshake succeeds
    public static void reach(LoadSpec.Http http) {
        URI url = Urls.parse(http.url());
        if (http.unix() != null) {
            Urls.unix(http.unix());
            UnixSocket.reach(http.unix());
            return;
        }
        TlsPlan tls = Urls.tls(http, url);
        if (tls != null) {
            TlsProbe.shake(chosen(url), tls);
            return;
        }
        reach(chosen(url), http.url());
    }

    /// @param written the address as the user wrote it
    public static void reach(InetSocketAddress target, String written) {
        try {
            connect(target);
        } catch (IOException e) {
            throw new EnvironmentException(
                    "nothing answers at " + written,
                    String.valueOf(e.getMessage()),
                    "start the service, or check the address and the port");
        }
    }

    @Override
    public LoadPlan plan(LoadSpec.Http http, int connections) {
        int[] own = origin.cpus().stream().toArray();
        EngineThreads threads = new EngineThreads(() -> {}, own, context.engine());
        return Urls.plan(http, url, target, connections, from(connections), threads, variables);
    }

    @Override
    public LoadSpec.Http filled(LoadSpec.Http http) {
        return http;
    }

    private Sources from(int connections) {
        return sources(target, origin.sources(), connections);
    }

    /// Where the connections to a target come from on this host.
    ///
    /// @param addresses if empty, the kernel chooses
    public static Sources sources(
            SocketAddress target, List<InetAddress> addresses, int connections) {
        if (!(target instanceof InetSocketAddress)) {
            return Sources.ANY;
        }
        LocalPortRange range = LocalPortRange.read(PROC_SYS_NET);
        if (addresses.isEmpty() && connections <= range.size() * KERNELS_CHOICE_SHARE_MAX) {
            return Sources.ANY;
        }
        return new Sources(addresses, range.portMin(), range.portMax());
    }

    @Override
    public List<Reader> readers() {
        return ends.readers();
    }

    @Override
    public List<Reader> serviceReaders() {
        return ends.serviceReaders();
    }

    @Override
    public long[] processes() {
        return ends.processes();
    }

    @Override
    public SandboxFacts facts() {
        return ends.facts();
    }

    @Override
    public int serverCpus() {
        return ends.serverCpus();
    }

    @Override
    public @Nullable ServerSide serverSide() {
        return server;
    }

    @Override
    public SortedMap<String, String> factors() {
        return new TreeMap<>();
    }

    @Override
    public void close() {
        ends.close();
    }
}
