package wallfinder.lab.trial;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Placeholders;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.linux.Listener;
import wallfinder.linux.PortOf;
import wallfinder.linux.SockDiag;
import wallfinder.linux.UnixSocket;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.load.EngineChoice;
import wallfinder.load.EngineThreads;
import wallfinder.load.HoldPlan;
import wallfinder.load.LoadPlan;
import wallfinder.load.Sources;
import wallfinder.load.TlsProbe;
import wallfinder.load.Variables;
import wallfinder.observation.End;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.sampling.JvmAsking;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.LocalPortRange;
import wallfinder.sampling.WatchedEnd;
import wallfinder.sampling.WatchedProgram;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.Jvm;
import wallfinder.sandbox.Sandbox;
import wallfinder.sandbox.Service;
import wallfinder.sandbox.TwoHosts;

/// A fresh sandbox with the services of an experiment running in it.
public final class SandboxTestbed implements Testbed, ConnectionEnds {
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");

    /// No other process uses the namespace's ports. Lower ports are for services.
    private static final int PORT_MIN = 10_000;

    private static final int PORT_MAX = 65_535;

    private final Experiment experiment;
    private final RunContext context;
    private final String name;
    private final Sandbox sandbox;
    private final Inspection inspection;
    private final Variables variables = new Variables();
    private final @Nullable TwoHosts hosts;
    private final List<Service> services = new ArrayList<>();
    private final SockDiag serverSockets;
    private final SockDiag clientSockets;
    private final TestbedFacts facts;
    private ServiceHost.@Nullable Started elsewhere;
    private @Nullable LifeHere lifeHere;
    private long startNanos;

    private SandboxTestbed(
            Experiment experiment,
            RunContext context,
            String name,
            Sandbox sandbox,
            @Nullable TwoHosts hosts,
            Inspection inspection) {
        this.hosts = hosts;
        this.inspection = inspection;
        this.experiment = experiment;
        this.context = context;
        this.name = name;
        this.sandbox = sandbox;
        this.serverSockets = sandbox.inside(End.SERVER, SockDiag::open);
        this.clientSockets = sandbox.inside(End.CLIENT, SockDiag::open);
        this.facts = new TestbedFacts(experiment, sandbox, serverSockets);
    }

    /// Creates the sandbox and starts the services, each when the one before is ready.
    ///
    /// @param host where the services run, or null for this host
    static SandboxTestbed open(
            Experiment experiment,
            RunContext context,
            String name,
            Inspection inspection,
            @Nullable ServiceHost host) {
        SandboxTestbed testbed =
                empty(experiment, context, name, host == null ? null : host.hosts(), inspection);
        return testbed.with(() -> {
            testbed.start(host);
            testbed.shakeHandsIfReady();
        });
    }

    /// The services' end of a sandbox on two hosts, without the load.
    public static SandboxTestbed serverEnd(
            Experiment experiment,
            RunContext context,
            String name,
            TwoHosts hosts,
            Inspection inspection) {
        SandboxTestbed testbed = empty(experiment, context, name, hosts, inspection);
        return testbed.with(testbed::startServices);
    }

    private SandboxTestbed with(Runnable start) {
        try {
            start.run();
            return this;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void startServices() {
        if (inspection.keepsLife()) {
            lifeHere = LifeHere.start(this, experiment, inspection);
            return;
        }
        for (ServiceSpec spec : experiment.services()) {
            awaitReady(spec, begin(spec));
        }
    }

    private void start(@Nullable ServiceHost host) {
        if (host == null) {
            startServices();
            return;
        }
        ServiceHost.Started started = host.start(experiment, name, inspection, context);
        elsewhere = started;
        startNanos = Math.round(started.seconds() * 1e9);
    }

    /// Wrong settings of TLS fail before the load.
    private void shakeHandsIfReady() {
        boolean ready = !inspection.keepsLife() || life().notReady() == null;
        if (ready && experiment.load() instanceof LoadSpec.Http http) {
            TlsProbe.shake(plan(http, 1));
        }
    }

    /// The service that is watched from its start on.
    ///
    /// @throws IllegalStateException if there is none
    public Life life() {
        if (elsewhere != null) {
            return elsewhere.life();
        }
        if (lifeHere == null) {
            throw new IllegalStateException("no service is watched from its start on");
        }
        return lifeHere;
    }

    private static SandboxTestbed empty(
            Experiment experiment,
            RunContext context,
            String name,
            @Nullable TwoHosts hosts,
            Inspection inspection) {
        Path logs = context.folder().resolve("logs").resolve(name);
        Sandbox sandbox =
                hosts == null
                        ? Sandbox.open(
                                experiment.sandbox(),
                                context.lock(),
                                logs,
                                CpuPlan.split(generatorThreads(experiment)))
                        : Sandbox.open(experiment.sandbox(), context.lock(), logs, hosts);
        try {
            return new SandboxTestbed(experiment, context, name, sandbox, hosts, inspection);
        } catch (RuntimeException | Error e) {
            sandbox.close();
            throw e;
        }
    }

    /// Starts a service without waiting until it is ready.
    Service begin(ServiceSpec spec) {
        context.progress()
                .show(
                        Moment.of(
                                name + ": starting " + spec.name(),
                                Planned.unknown(System.nanoTime())));
        startNanos -= System.nanoTime();
        Service service = sandbox.begin(spec, names());
        services.add(service);
        return service;
    }

    /// @throws wallfinder.linux.EnvironmentException if the service ends, or is not ready in time
    void awaitReady(ServiceSpec spec, Service service) {
        sandbox.awaitReady(service, spec, names(), context.interruption()::isRequested);
        startNanos += System.nanoTime();
    }

    private static int generatorThreads(Experiment experiment) {
        return switch (experiment.load()) {
            case LoadSpec.Http http -> http.threads();
            // 0 stands for as many threads as the descriptors need.
            case LoadSpec.Hold hold -> Math.max(1, hold.spec().threads());
            case LoadSpec.Command _ -> 1;
        };
    }

    /// The values of placeholders in commands, except each service's own knobs.
    private Map<String, String> names() {
        Map<String, String> names = new TreeMap<>();
        names.put("home", context.home().toString());
        for (ServiceSpec spec : experiment.services()) {
            spec.knobs().forEach((knob, value) -> names.put(knob, value.value()));
        }
        if (experiment.load() instanceof LoadSpec.Command command) {
            names.put("clientJvm", Jvm.of(command.program().jvm()).home().toString());
        }
        return sandbox.names(names);
    }

    @Override
    public LoadSpec.Http filled(LoadSpec.Http http) {
        return http.filled(names());
    }

    @Override
    public LoadPlan plan(LoadSpec.Http http, int connections) {
        LoadSpec.Http filled = filled(http);
        URI url = Urls.parse(filled.url());
        SocketAddress target = target(filled, url);
        return Urls.plan(
                filled,
                url,
                target,
                connections,
                hosts == null
                        ? new Sources(sandbox.sourceAddresses(), PORT_MIN, PORT_MAX)
                        : HostTestbed.sources(target, List.of(), connections),
                engineThreads(context.engine()),
                variables);
    }

    private EngineThreads engineThreads(EngineChoice engine) {
        int[] cpus = sandbox.cpus().client().stream().toArray();
        return new EngineThreads(() -> sandbox.enter(End.CLIENT), cpus, engine);
    }

    LoadSpec.Hold filled(LoadSpec.Hold hold) {
        return hold.filled(names());
    }

    /// How connections are held here: from the client's port range, which experiments may turn.
    public HoldPlan plan(LoadSpec.Hold hold) {
        LoadSpec.Hold filled = filled(hold);
        HoldSpec spec = filled.spec();
        LocalPortRange range = portRange(End.CLIENT);
        List<InetAddress> from =
                filled.source() == null
                        ? sandbox.sourceAddresses(
                                Math.min(
                                        Sandbox.SOURCE_ADDRESSES_MAX,
                                        HoldPlan.sourcesNeeded(
                                                spec, range.portMin(), range.portMax())))
                        : SourceRange.parse(filled.source(), sandbox);
        return HoldPlan.of(
                spec,
                HostTestbed.resolve(spec.host(), spec.port()),
                new Sources(from, range.portMin(), range.portMax()),
                engineThreads(EngineChoice.EPOLL));
    }

    private SocketAddress target(LoadSpec.Http http, URI url) {
        if (http.unix() == null) {
            return new InetSocketAddress(Urls.host(url), Urls.port(url));
        }
        String path = Placeholders.fill(http.unix(), names());
        if (UnixSocket.isAbstract(path)) {
            throw new UsageException(
                    "the abstract unix socket \"" + path + "\" cannot be used in a sandbox",
                    "it belongs to one network namespace, and each end has its own",
                    "let the service listen on a path");
        }
        return Urls.unix(path);
    }

    /// Runs work on a thread at one end.
    public <T extends @Nullable Object> T inside(End end, Callable<T> work) {
        return sandbox.inside(end, work);
    }

    @Override
    public long[] processes() {
        return services.stream().mapToLong(Service::pid).toArray();
    }

    /// The port that a load goes to.
    public int port(LoadSpec.Http http) {
        return Urls.port(Urls.parse(filled(http).url()));
    }

    /// Starts the load command at the client's end.
    Service launch(ServiceSpec spec) {
        return sandbox.launch(End.CLIENT, spec, names());
    }

    @Override
    public List<Reader> readers() {
        WatchedEnd.Network network = network(End.CLIENT);
        return readers(
                hosts == null
                        ? new WatchedEnd.Engine(network)
                        : new WatchedEnd.HostEngine(network));
    }

    /// Of the services' end alone.
    List<Reader> serverReaders() {
        return serverEnd().readers();
    }

    /// Readers of both ends for a load command.
    List<Reader> readers(Service load) {
        return readers(
                new WatchedEnd.Command(
                        network(End.CLIENT),
                        clientSockets,
                        portRange(End.CLIENT),
                        program(load, End.CLIENT)));
    }

    private List<Reader> readers(WatchedEnd client) {
        return hosts == null
                ? Stream.of(serverEnd(), client).flatMap(end -> end.readers().stream()).toList()
                : client.readers();
    }

    private WatchedEnd serverEnd() {
        return new WatchedEnd.Server(
                network(End.SERVER),
                serverSockets,
                listening(),
                portRange(End.SERVER),
                sandbox.shared(),
                programs());
    }

    /// Where the services listen.
    Listeners.Places listening() {
        return hosts == null
                ? Listeners.Places.of(ports())
                : Listeners.placesOf(serverSockets, processes());
    }

    public List<Service> services() {
        return List.copyOf(services);
    }

    /// The CPUs of the services.
    BitSet cpus() {
        return sandbox.cpus().server();
    }

    /// Readers of one service: its processes, JVMs, log and cgroup, and its CPUs.
    List<Reader> readersOf(Service service) {
        return new WatchedEnd.Programs(
                        End.SERVER, sandbox.cpus().server(), List.of(program(service, End.SERVER)))
                .readers();
    }

    @Override
    public List<Reader> serviceReaders() {
        return programs().stream().flatMap(program -> program.cpuReaders().stream()).toList();
    }

    private List<WatchedProgram> programs() {
        return services.stream().map(service -> program(service, End.SERVER)).toList();
    }

    private WatchedProgram program(Service service, End end) {
        return new WatchedProgram.Started(
                end,
                service.name(),
                service::pid,
                service.log().toFile(),
                service.logStart(),
                service.cgroup(),
                inspection.asksJvms()
                        ? new JvmAsking.IfAffordable(service.cgroup())
                        : new JvmAsking.Never());
    }

    private WatchedEnd.Network network(End end) {
        CpuPlan cpus = sandbox.cpus();
        return new WatchedEnd.Network(
                end, sandbox.procNet(end), end == End.SERVER ? cpus.server() : cpus.client());
    }

    private LocalPortRange portRange(End end) {
        return sandbox.inside(end, () -> LocalPortRange.read(PROC_SYS_NET));
    }

    private List<Integer> ports() {
        return serverSockets.listeners().stream().map(Listener::port).distinct().toList();
    }

    @Override
    public List<LoadOutcome.Sockets> established(int port, int ports) {
        int last = port + ports - 1;
        LoadOutcome.Sockets client =
                new LoadOutcome.Sockets(
                        End.CLIENT, clientSockets.established(PortOf.OTHER_END, port, last));
        return hosts == null
                ? List.of(
                        new LoadOutcome.Sockets(
                                End.SERVER, serverSockets.established(PortOf.THIS_END, port, last)),
                        client)
                : List.of(client);
    }

    @Override
    public @Nullable ServerSide serverSide() {
        return elsewhere == null ? null : elsewhere.side();
    }

    @Override
    public SandboxFacts facts() {
        return facts.of(services);
    }

    @Override
    public int serverCpus() {
        return sandbox.cpus().server().cardinality();
    }

    /// The facts with the load command among the services.
    ///
    /// @param runtime the load command's JVM while it ran, or null
    SandboxFacts facts(Service load, @Nullable JvmFacts runtime) {
        return facts.of(services, load, runtime);
    }

    @Override
    public SortedMap<String, String> factors() {
        return facts.factors(startNanos);
    }

    /// The command that shows the server's sockets to the user. Empty in a user namespace, whose
    /// process ids differ from the host's.
    Optional<String> lookInside() {
        return sandbox.isolation().equals("namespaces") && !services.isEmpty()
                ? Optional.of("nsenter -t %d -n ss -ltn".formatted(services.getLast().pid()))
                : Optional.empty();
    }

    /// Kills the services. The end of the sandbox removes what is left of them.
    public void kill() {
        services.stream()
                .flatMap(service -> service.pids().stream())
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public void close() {
        if (lifeHere != null) {
            lifeHere.close();
        }
        if (elsewhere != null) {
            elsewhere.close();
        }
        serverSockets.close();
        clientSockets.close();
        sandbox.close();
    }
}
