package wallfinder.lab.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Limit;
import wallfinder.diagnosis.LoadNeeds;
import wallfinder.diagnosis.Preflight;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.trial.HostTestbed;
import wallfinder.lab.trial.TargetProcess;
import wallfinder.lab.trial.Urls;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.EngineChoice;
import wallfinder.load.EngineThreads;
import wallfinder.load.HoldRun;
import wallfinder.load.LoadRun;
import wallfinder.load.Sources;
import wallfinder.load.Variables;
import wallfinder.observation.Bound;
import wallfinder.observation.Bound.Kind;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.RequestCost;
import wallfinder.record.RunRecord;
import wallfinder.record.StoredLimits;
import wallfinder.sampling.HostBounds;
import wallfinder.sampling.LocalAddresses;
import wallfinder.sampling.SettingFiles;
import wallfinder.sandbox.Residence;

/// Preflight: finds all limits of this host and a service, and which of them a plan reaches first.
/// It drives no load; on request it sends a few requests.
public final class Doctor {
    private final Asked asked;
    private final HostBounds client;
    private final HostBounds server;
    private final List<Bound> bounds = new ArrayList<>();
    private final List<Caveat> caveats = new ArrayList<>();

    private Doctor(Asked asked) {
        this.asked = asked;
        SettingFiles files = new SettingFiles(Path.of("/"));
        this.client = new HostBounds(End.CLIENT, files);
        this.server = new HostBounds(End.SERVER, files);
    }

    /// Which ends of the plan are on this host.
    public enum Here {
        /// The client, and the server unless the URL leads to another host.
        CLIENT,
        /// The client alone: somebody else examines the server on its own host.
        ONLY_CLIENT,
        /// The server alone: the clients are on other hosts.
        ONLY_SERVER
    }

    /// @param here which ends are on this host
    /// @param pid the service's process, or 0
    /// @param port the port that the service listens on, or 0
    /// @param http the planned load; its number of connections counts only if `connectionsGiven`
    /// @param url whether there is a URL; without one only limits that need no target are reported
    /// @param held whether the load holds connections; our engine then waits by epoll
    /// @param targetPorts the number of ports of the target, counted from the URL's port
    /// @param concurrency how many requests the service handles at a time, or 0 if unknown
    /// @param clientCloses whether the client closes connections first
    /// @param probe whether to send the service a few requests
    public record Asked(
            Here here,
            long pid,
            int port,
            LoadSpec.Http http,
            boolean url,
            boolean held,
            int targetPorts,
            boolean connectionsGiven,
            List<InetAddress> sources,
            int concurrency,
            boolean clientCloses,
            boolean probe) {}

    /// @param limits the limit that the plan reaches first comes first
    /// @param doubts in words
    public record Findings(List<Limit> limits, List<String> doubts) {
        private static final String AND = "; ";

        /// With the limits of the server, from another host.
        public Findings with(StoredLimits server, String host) {
            List<Limit> both = new ArrayList<>(limits);
            server.limits().stream()
                    .filter(limit -> limit.end() == End.SERVER)
                    .forEach(limit -> both.add(limit.on(host)));
            List<String> all = new ArrayList<>(doubts);
            Arrays.stream(server.ended().split(AND)).skip(1).forEach(all::add);
            return new Findings(Preflight.inOrder(both), List.copyOf(all));
        }

        /// Whether no known limit stops the plan.
        public boolean fits() {
            return limits.stream().noneMatch(Limit::stops);
        }

        /// The result and the doubts in one sentence.
        String ended() {
            String result =
                    limits.stream()
                            .filter(Limit::stops)
                            .findFirst()
                            .map(first ->
                                    "the plan does not fit: %s on the %s comes first"
                                            .formatted(first.wall(), first.end().word()))
                            .orElse("the plan fits all limits whose need is known");
            return Stream.concat(Stream.of(result), doubts.stream())
                    .collect(Collectors.joining(AND));
        }
    }

    /// The default number of threads that hold this many connections.
    public static int threadsToHold(int connections) {
        return HoldRun.threadsNeeded(connections);
    }

    /// Examines this host and a service that is already running.
    ///
    /// @throws EnvironmentException if the service does not run, or this user may not examine it
    public static Findings host(Asked asked) {
        return new Doctor(asked).examine();
    }

    /// The record of a preflight, without trials.
    public static RunRecord record(String command, String name, Findings findings) {
        return new RunRecord(
                command,
                name,
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                HostFacts.read(),
                List.of(),
                List.of(),
                findings.limits(),
                findings.ended(),
                null,
                null,
                null,
                null);
    }

    private Findings examine() {
        URI url = asked.url() ? Urls.parse(asked.http().url()) : null;
        InetSocketAddress target = url == null ? null : HostTestbed.chosen(url);
        boolean loopback = target != null && target.getAddress().isLoopbackAddress();
        long pid = pid(target);
        boolean local =
                asked.here() == Here.CLIENT
                        && (target == null
                                || pid > 0
                                || LocalAddresses.isLocal(target.getAddress()));
        if (clients()) {
            bounds.addAll(client.ports(target, loopback));
            bounds.add(generator(threads(asked.http())));
        }
        bounds.addAll((pid > 0 ? server : client).host());
        if (pid > 0) {
            try (Residence residence = Residence.of(pid)) {
                boolean apart = residence.ownNetwork();
                if (clients() || !apart) {
                    network(local && !apart);
                }
                bounds.addAll(residence.inside(() -> service(pid, target, apart)));
                tables(local, apart && residence.inside(HostBounds::ownTable), residence);
            }
        } else {
            network(local);
            bounds.addAll(client.table(false));
        }
        if (asked.concurrency() > 0) {
            bounds.add(pool(Kind.CONCURRENCY, asked.concurrency(), "--concurrency"));
        }
        RequestCost cost =
                asked.probe() && url != null && target != null
                        ? probe(url, target, pid)
                        : RequestCost.UNKNOWN;
        return new Findings(
                Preflight.limits(
                        needs(
                                asked.http(),
                                asked.connectionsGiven(),
                                asked.clientCloses(),
                                Math.max(1, asked.sources().size()),
                                asked.targetPorts(),
                                local,
                                asked.held() && local && pid > 0 && ofThisUser(pid)),
                        cost,
                        bounds),
                caveats.stream().map(Caveat::advice).toList());
    }

    /// Whether the clients are here.
    private boolean clients() {
        return asked.here() != Here.ONLY_SERVER;
    }

    /// The connection-tracking tables: one that both ends share, or one for each end.
    private void tables(boolean local, boolean own, Residence residence) {
        boolean both = local && !own;
        bounds.addAll(residence.inside(() -> server.table(both)));
        if (!both && clients()) {
            bounds.addAll(client.table(false));
        }
    }

    /// Whether the service runs as this user.
    private static boolean ofThisUser(long pid) {
        try {
            return Files.getOwner(Path.of("/proc/" + pid))
                    .equals(Files.getOwner(Path.of("/proc/self")));
        } catch (IOException e) {
            return false; // the process has ended
        }
    }

    /// Limits that both ends share are listed once, at the end that closes connections.
    private void network(boolean shared) {
        if (!clients()) {
            bounds.addAll(asked.clientCloses() ? List.of() : server.network());
            return;
        }
        bounds.addAll((shared && !asked.clientCloses() ? server : client).network());
    }

    private List<Bound> service(long pid, @Nullable InetSocketAddress target, boolean apart) {
        List<Bound> found = new ArrayList<>();
        if (apart) {
            found.addAll(server.network());
        }
        int port = port(target);
        List<Integer> ports = port > 0 ? List.of(port) : ServiceBounds.ports(pid);
        if (ports.isEmpty()) {
            caveats.add(Doubt.LISTENS_ON_NOTHING.caveat(pid));
        }
        found.addAll(ServiceBounds.of(server, ports, pid));
        return found;
    }

    private int port(@Nullable InetSocketAddress target) {
        return asked.port() > 0 ? asked.port() : target == null ? 0 : target.getPort();
    }

    /// The service's process; 0 if it runs on another host or nothing identifies it.
    private long pid(@Nullable InetSocketAddress target) {
        if (asked.here() == Here.ONLY_CLIENT) {
            return 0;
        }
        if (asked.pid() > 0) {
            return asked.pid();
        }
        int port = port(target);
        if (port == 0) {
            return 0;
        }
        return switch (process(target, port)) {
            case TargetProcess.Found(long pid) -> pid;
            case TargetProcess.Elsewhere _ -> {
                caveats.add(Doubt.SERVER_ELSEWHERE.caveat(port));
                yield 0;
            }
            case TargetProcess.Unclear(String reason) -> {
                caveats.add(
                        Doubt.SERVER_PROCESS_HIDDEN.caveat(
                                "the limits of the service are unknown", reason));
                yield 0;
            }
            case TargetProcess.Unknown(String reason) ->
                    throw new EnvironmentException(
                            "the service cannot be examined",
                            reason,
                            "start it, or name its process with --pid");
        };
    }

    private static TargetProcess process(@Nullable InetSocketAddress target, int port) {
        return TargetProcess.of(
                target == null
                        ? new InetSocketAddress(port)
                        : new InetSocketAddress(target.getAddress(), port));
    }

    private RequestCost probe(URI url, InetSocketAddress target, long pid) {
        EngineThreads threads = new EngineThreads(() -> {}, new int[0], EngineChoice.AUTO);
        Variables variables = new Variables();
        LoadSpec.Http http = asked.http().closedByOneThread();
        try (CostProbe probe =
                new CostProbe(
                        n -> Urls.plan(http, url, target, n, Sources.ANY, threads, variables),
                        pid,
                        ServiceBounds.ofJvm(bounds))) {
            return probe.measure();
        }
    }

    static LoadNeeds needs(
            LoadSpec.Http http,
            boolean connectionsGiven,
            boolean clientCloses,
            int sources,
            int targets,
            boolean oneHost,
            boolean bothWatch) {
        double perSecond =
                switch (http.arrival()) {
                    case Arrival.Closed ignored -> Double.NaN;
                    case Arrival.Lockstep ignored -> Double.NaN;
                    case Arrival.Rate rate -> rate.perSecond();
                    case Arrival.Poisson poisson -> poisson.perSecond();
                    case Arrival.Stages stages ->
                            stages.stages().stream()
                                    .mapToDouble(s -> Math.max(s.from(), s.to()))
                                    .max()
                                    .orElseThrow();
                };
        return new LoadNeeds(
                connectionsGiven ? http.connections() : 0,
                perSecond,
                http.keepalive(),
                http.arrival() instanceof Arrival.Lockstep,
                clientCloses,
                sources,
                targets,
                oneHost,
                bothWatch);
    }

    /// The number of engine threads. Lockstep has one.
    static int threads(LoadSpec.Http http) {
        return http.arrival() instanceof Arrival.Lockstep ? 1 : http.threads();
    }

    /// The descriptors of our engine. Each engine thread has a descriptor table.
    static Bound generator(int threads) {
        return new Bound(
                Kind.GENERATOR_DESCRIPTORS,
                End.CLIENT,
                LoadRun.connectionsMax(threads),
                Double.NaN,
                0,
                new Bound.Setter(
                        "ulimit -n, for each engine thread (-t %d)".formatted(threads),
                        List.of(
                                "more engine threads (-t): each has its own table",
                                "ulimit -n, before wallfinder starts")),
                "/proc/self/limits");
    }

    /// A pool of a known size.
    static Bound pool(Kind kind, double size, String name) {
        return new Bound(
                kind,
                End.SERVER,
                size,
                Double.NaN,
                0,
                new Bound.Setter(name, List.of("{to} at a time in the service")),
                name);
    }
}
