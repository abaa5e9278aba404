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
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Limit;
import wallfinder.diagnosis.LoadNeeds;
import wallfinder.diagnosis.Preflight;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.trial.HostTestbed;
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
import wallfinder.sampling.HostBounds;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.LocalAddresses;
import wallfinder.sampling.SettingFiles;
import wallfinder.sandbox.Residence;

/// Preflight: all limits of this host, a service and a plan, and which of them is hit first. There
/// is no load; a few requests are sent where that is asked for.
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

    /// What is looked at, and for which plan.
    ///
    /// @param pid the service's process, or 0
    /// @param port that it listens on, or 0
    /// @param http how it is driven; its connections count only where `connectionsGiven`
    /// @param url whether there is one: without it only the limits are told that need no target
    /// @param held whether connections are held: then our own engine waits by epoll
    /// @param targetPorts how many ports of the target, from the URL's on
    /// @param concurrency how many requests it works on at a time, or 0 if nobody knows
    /// @param clientCloses whether connections are closed by the client first
    /// @param probe whether to send it a few requests
    public record Asked(
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

    /// What was found.
    ///
    /// @param limits the one that is hit first at the front
    public record Findings(List<Limit> limits, List<Caveat> caveats) {
        /// Whether the plan is stopped by nothing that is known.
        public boolean fits() {
            return limits.stream().noneMatch(Limit::stops);
        }

        /// What came of it, and what is in doubt.
        String ended() {
            StringBuilder ended = new StringBuilder(verdict());
            caveats.forEach(caveat -> ended.append("; ").append(caveat.advice()));
            return ended.toString();
        }

        private String verdict() {
            return limits.stream()
                    .filter(Limit::stops)
                    .findFirst()
                    .map(first ->
                            String.format(
                                    Locale.ROOT,
                                    "the plan does not fit: %s on the %s comes first",
                                    first.wall(),
                                    first.end().word()))
                    .orElse("the plan fits all limits of which is known what it needs");
        }
    }

    /// With how many threads so many connections are held, where nothing else is asked for.
    public static int threadsToHold(int connections) {
        return HoldRun.threadsNeeded(connections);
    }

    /// Looks at this host and at a service that runs already.
    ///
    /// @throws EnvironmentException if the service that was named is not there, or may not be
    ///   looked at
    public static Findings host(Asked asked) {
        return new Doctor(asked).examine();
    }

    /// A run that measured nothing.
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
                null);
    }

    private Findings examine() {
        URI url = asked.url() ? Urls.parse(asked.http().url()) : null;
        InetSocketAddress target = url == null ? null : HostTestbed.resolve(url);
        boolean local = target == null || LocalAddresses.isLocal(target.getAddress());
        boolean loopback = target != null && target.getAddress().isLoopbackAddress();
        long pid = pid(target, local);
        bounds.addAll(client.ports(target, loopback));
        bounds.add(generator(threads(asked.http())));
        bounds.addAll((pid > 0 ? server : client).host());
        if (pid > 0) {
            try (Residence residence = Residence.of(pid)) {
                boolean apart = residence.ownNetwork();
                network(local && !apart);
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
                List.copyOf(caveats));
    }

    /// The tables of connections: one for both ends, or one for each.
    private void tables(boolean local, boolean own, Residence residence) {
        boolean both = local && !own;
        bounds.addAll(residence.inside(() -> server.table(both)));
        if (!both) {
            bounds.addAll(client.table(false));
        }
    }

    /// Whether the service runs as the user that this is.
    private static boolean ofThisUser(long pid) {
        try {
            return Files.getOwner(Path.of("/proc/" + pid))
                    .equals(Files.getOwner(Path.of("/proc/self")));
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    /// What both ends share where they live together is told once, at the end that closes.
    private void network(boolean shared) {
        bounds.addAll((shared && !asked.clientCloses() ? server : client).network());
    }

    private List<Bound> service(long pid, @Nullable InetSocketAddress target, boolean apart) {
        List<Bound> found = new ArrayList<>();
        if (apart) {
            found.addAll(server.network());
        }
        int port = asked.port() > 0 ? asked.port() : target == null ? 0 : target.getPort();
        List<Integer> ports = port > 0 ? List.of(port) : ServiceBounds.ports(pid);
        if (ports.isEmpty()) {
            caveats.add(Doubt.LISTENS_ON_NOTHING.caveat(pid));
        }
        found.addAll(ServiceBounds.of(server, ports, pid));
        return found;
    }

    /// The service's process, 0 if it is elsewhere or was not named.
    private long pid(@Nullable InetSocketAddress target, boolean local) {
        if (asked.pid() > 0) {
            return asked.pid();
        }
        int port = asked.port() > 0 ? asked.port() : target == null ? 0 : target.getPort();
        if (port == 0) {
            return 0;
        }
        if (!local) {
            caveats.add(Doubt.SERVER_ELSEWHERE.caveat(port));
            return 0;
        }
        return switch (Listeners.ownerOf(port)) {
            case Listeners.Owner.Found found -> found.pid();
            case Listeners.Owner.Unknown unknown ->
                    throw new EnvironmentException(
                            "the service cannot be looked at",
                            unknown.reason(),
                            "start it, or name its process with --pid");
        };
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

    /// Lockstep has one thread.
    static int threads(LoadSpec.Http http) {
        return http.arrival() instanceof Arrival.Lockstep ? 1 : http.threads();
    }

    /// Descriptors of our own engine: beyond what one table holds, each thread has one.
    static Bound generator(int threads) {
        return new Bound(
                Kind.GENERATOR_DESCRIPTORS,
                End.CLIENT,
                LoadRun.connectionsMax(threads),
                Double.NaN,
                0,
                new Bound.Setter(
                        "ulimit -n, for each of " + threads + " engine thread(s) (-t)",
                        List.of(
                                "more engine threads (-t): each has a table of its own",
                                "ulimit -n, before wallfinder starts")),
                "/proc/self/limits");
    }

    /// A pool whose size is known.
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
