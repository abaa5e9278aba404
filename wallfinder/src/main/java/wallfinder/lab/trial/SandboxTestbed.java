package wallfinder.lab.trial;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
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
import wallfinder.experiment.Resolver;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.RunContext;
import wallfinder.linux.Listener;
import wallfinder.linux.SockDiag;
import wallfinder.linux.SockDiag.PortOf;
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
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.JvmFacts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Reader;
import wallfinder.observation.SandboxFacts;
import wallfinder.record.RunRecord;
import wallfinder.sampling.JvmAsking;
import wallfinder.sampling.Listeners;
import wallfinder.sampling.LocalPortRange;
import wallfinder.sampling.WatchedEnd;
import wallfinder.sampling.WatchedProgram;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.Jvm;
import wallfinder.sandbox.RunningJvm;
import wallfinder.sandbox.Sandbox;
import wallfinder.sandbox.Service;

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
    private final boolean asksJvms;
    private final Variables variables = new Variables();
    private final List<Service> services = new ArrayList<>();
    private final SockDiag serverSockets;
    private final SockDiag clientSockets;
    private long startNanos;

    private SandboxTestbed(
            Experiment experiment,
            RunContext context,
            String name,
            Sandbox sandbox,
            boolean asksJvms) {
        this.asksJvms = asksJvms;
        this.experiment = experiment;
        this.context = context;
        this.name = name;
        this.sandbox = sandbox;
        this.serverSockets = sandbox.inside(End.SERVER, SockDiag::open);
        this.clientSockets = sandbox.inside(End.CLIENT, SockDiag::open);
    }

    /// Creates the sandbox and starts the services, each when the one before is ready.
    public static SandboxTestbed open(Experiment experiment, RunContext context, String name) {
        return open(experiment, context, name, true);
    }

    /// @param asksJvms false if the trial measures a service's memory, because answers use memory
    static SandboxTestbed open(
            Experiment experiment, RunContext context, String name, boolean asksJvms) {
        SandboxTestbed testbed = empty(experiment, context, name, asksJvms);
        try {
            for (ServiceSpec spec : experiment.services()) {
                testbed.awaitReady(spec, testbed.begin(spec));
            }
            testbed.shakeHands();
            return testbed;
        } catch (RuntimeException | Error e) {
            testbed.close();
            throw e;
        }
    }

    /// Creates the sandbox. The caller begins and awaits each service, then calls [#shakeHands].
    public static SandboxTestbed empty(
            Experiment experiment, RunContext context, String name, boolean asksJvms) {
        Path logs = context.folder().resolve("logs").resolve(name);
        Sandbox sandbox =
                Sandbox.open(
                        experiment.sandbox(),
                        context.lock(),
                        logs,
                        CpuPlan.split(generatorThreads(experiment)));
        try {
            return new SandboxTestbed(experiment, context, name, sandbox, asksJvms);
        } catch (RuntimeException | Error e) {
            sandbox.close();
            throw e;
        }
    }

    /// Starts a service without waiting until it is ready.
    public Service begin(ServiceSpec spec) {
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
    public void awaitReady(ServiceSpec spec, Service service) {
        sandbox.awaitReady(service, spec, names(), context.interruption()::isRequested);
        startNanos += System.nanoTime();
    }

    /// Makes a TLS handshake if the load needs TLS, so that wrong settings fail before the load.
    public void shakeHands() {
        if (experiment.load() instanceof LoadSpec.Http http) {
            TlsProbe.shake(plan(http, 1));
        }
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
    public LoadPlan plan(LoadSpec.Http http, int connections) {
        LoadSpec.Http filled = http.filled(names());
        URI url = Urls.parse(filled.url());
        return Urls.plan(
                filled,
                url,
                target(filled, url),
                connections,
                new Sources(sandbox.sourceAddresses(), PORT_MIN, PORT_MAX),
                engineThreads(context.engine()),
                variables);
    }

    private EngineThreads engineThreads(EngineChoice engine) {
        int[] cpus = sandbox.cpus().client().stream().toArray();
        return new EngineThreads(() -> sandbox.enter(End.CLIENT), cpus, engine);
    }

    /// How connections are held here: from the client's port range, which experiments may turn.
    public HoldPlan plan(LoadSpec.Hold hold) {
        LoadSpec.Hold filled = hold.filled(names());
        HoldSpec spec = filled.spec();
        LocalPortRange range = portRange(End.CLIENT);
        List<InetAddress> from =
                filled.source() == null
                        ? sandbox.sourceAddresses(
                                Math.min(
                                        Sandbox.SOURCE_ADDRESSES_MAX,
                                        HoldPlan.sourcesNeeded(
                                                spec, range.portMin(), range.portMax())))
                        : sources(filled.source());
        return HoldPlan.of(
                spec,
                HostTestbed.resolve(spec.host(), spec.port()),
                new Sources(from, range.portMin(), range.portMax()),
                engineThreads(EngineChoice.EPOLL));
    }

    private List<InetAddress> sources(String text) {
        List<InetAddress> asked = SourceRange.parse(text);
        if (sandbox.sourceAddresses().containsAll(asked)) {
            return asked;
        }
        List<InetAddress> there = sandbox.sourceAddresses(Sandbox.SOURCE_ADDRESSES_MAX);
        if (there.containsAll(asked)) {
            return asked;
        }
        throw new UsageException(
                "the source addresses \"" + text + "\" cannot be used",
                "the client of this sandbox has %s-%s"
                        .formatted(
                                there.getFirst().getHostAddress(),
                                there.getLast().getHostAddress()),
                "write \"{client}\" for the first of them, or leave `source` out: then there are as"
                        + " many as the connections need");
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
        return Urls.port(Urls.parse(http.filled(names()).url()));
    }

    /// Starts the load command at the client's end.
    Service launch(ServiceSpec spec) {
        return sandbox.launch(End.CLIENT, spec, names());
    }

    @Override
    public List<Reader> readers() {
        return readers(new WatchedEnd.Engine(network(End.CLIENT)));
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
        WatchedEnd server =
                new WatchedEnd.Server(
                        network(End.SERVER),
                        serverSockets,
                        Listeners.Places.of(ports()),
                        portRange(End.SERVER),
                        sandbox.shared(),
                        programs());
        return Stream.of(server, client).flatMap(end -> end.readers().stream()).toList();
    }

    /// Readers of one service: its processes, JVMs, log and cgroup, and its CPUs.
    public List<Reader> readersOf(Service service) {
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
                asksJvms ? new JvmAsking.IfAffordable(service.cgroup()) : new JvmAsking.Never());
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
        return List.of(
                new LoadOutcome.Sockets(
                        End.SERVER, serverSockets.established(PortOf.THIS_END, port, last)),
                new LoadOutcome.Sockets(
                        End.CLIENT, clientSockets.established(PortOf.OTHER_END, port, last)));
    }

    @Override
    public SandboxFacts facts() {
        return facts(services.stream().map(this::facts).toList());
    }

    @Override
    public int serverCpus() {
        return sandbox.cpus().server().cardinality();
    }

    /// The facts with the load command among the services.
    ///
    /// @param runtime the load command's JVM while it ran, or null
    SandboxFacts facts(Service load, @Nullable JvmFacts runtime) {
        List<SandboxFacts.ServiceFacts> all = new ArrayList<>();
        services.forEach(service -> all.add(facts(service)));
        all.add(facts(load, List.of(), runtime));
        return facts(List.copyOf(all));
    }

    private SandboxFacts facts(List<SandboxFacts.ServiceFacts> programs) {
        BitSet server = sandbox.cpus().server();
        BitSet client = sandbox.cpus().client();
        return new SandboxFacts(
                sandbox.isolation(),
                settings(End.SERVER),
                settings(End.CLIENT),
                server.cardinality(),
                client.cardinality(),
                server.intersects(client),
                sandbox.most(),
                true,
                programs,
                caveats(programs));
    }

    /// The kernel settings and the resolver of one end.
    private SortedMap<String, String> settings(End end) {
        SortedMap<String, String> settings = new TreeMap<>(sandbox.sysctls(end));
        Resolver resolver = experiment.sandbox().resolver(end == End.SERVER);
        if (resolver != null) {
            settings.put("resolver", Placeholders.fill(resolver.text(), sandbox.names(Map.of())));
        }
        return settings;
    }

    /// Also doubts about JVMs without a class archive: they start later and need more memory.
    private List<Caveat> caveats(List<SandboxFacts.ServiceFacts> programs) {
        List<Caveat> caveats = new ArrayList<>(sandbox.caveats());
        for (SandboxFacts.ServiceFacts program : programs) {
            JvmFacts jvm = program.runtime();
            if (jvm != null && !jvm.usesArchive()) {
                String name = program.name();
                caveats.add(Doubt.NO_CLASS_ARCHIVE.about(name, name, jvm.version(), jvm.archive()));
            }
        }
        return List.copyOf(caveats);
    }

    private SandboxFacts.ServiceFacts facts(Service service) {
        List<Integer> listens = Listeners.placesOf(serverSockets, service.pid()).ports();
        return facts(service, listens, RunningJvm.of(service.pids()).orElse(null));
    }

    private SandboxFacts.ServiceFacts facts(
            Service service, List<Integer> listens, @Nullable JvmFacts seen) {
        ServiceSpec spec =
                experiment.programs().stream()
                        .filter(s -> s.name().equals(service.name()))
                        .findFirst()
                        .orElseThrow();
        // If the JVM has ended, its facts follow from its command.
        JvmFacts runtime =
                seen == null && spec.command().contains("{jvm}")
                        ? Jvm.of(spec.jvm()).facts(service.command())
                        : seen;
        return new SandboxFacts.ServiceFacts(
                service.name(),
                service.pid(),
                listens,
                settings(spec),
                runtime == null ? null : runtime.version(),
                runtime);
    }

    private static SortedMap<String, String> settings(ServiceSpec spec) {
        SortedMap<String, String> settings = new TreeMap<>();
        spec.knobs().forEach((name, knob) -> settings.put(name, knob.value()));
        var limits = spec.limits();
        put(settings, spec.name() + ".cpus", limits.cpus());
        put(settings, spec.name() + ".memory", limits.memoryBytes());
        put(settings, spec.name() + ".tcpMemory", limits.tcpMemoryBytes());
        put(settings, spec.name() + ".swap", limits.swapBytes());
        put(settings, spec.name() + ".nofile", limits.nofile());
        put(settings, spec.name() + ".pids", limits.pids());
        return settings;
    }

    private static void put(Map<String, String> settings, String name, @Nullable Object value) {
        if (value != null) {
            settings.put(name, value.toString());
        }
    }

    @Override
    public SortedMap<String, String> factors() {
        SortedMap<String, String> factors = new TreeMap<>();
        factors.put(RunRecord.START_SECONDS, String.format(Locale.ROOT, "%.3f", startNanos / 1e9));
        experiment.programs().forEach(program -> factors.putAll(settings(program)));
        SandboxSpec spec = experiment.sandbox();
        spec.server().forEach((name, value) -> factors.put("server." + name, value));
        spec.client().forEach((name, value) -> factors.put("client." + name, value));
        for (End end : List.of(End.SERVER, End.CLIENT)) {
            Resolver resolver = spec.resolver(end == End.SERVER);
            if (resolver != null) {
                factors.put(end.word() + ".resolver", resolver.text());
            }
        }
        return factors;
    }

    /// The command that shows the server's sockets to the user. Empty in a user namespace, whose
    /// process ids differ from the host's.
    Optional<String> lookInside() {
        return sandbox.isolation().equals("namespaces") && !services.isEmpty()
                ? Optional.of("nsenter -t %d -n ss -ltn".formatted(services.getLast().pid()))
                : Optional.empty();
    }

    @Override
    public void close() {
        serverSockets.close();
        clientSockets.close();
        sandbox.close();
    }
}
