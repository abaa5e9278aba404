package wallfinder.lab.agent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.peer.PeerJoin;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.FarServer;
import wallfinder.lab.trial.Generator;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.Testbed;
import wallfinder.lab.trial.Urls;
import wallfinder.lab.trial.WarmUp;
import wallfinder.lab.trial.WarmUpWatch;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.load.Probe;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.Observation;
import wallfinder.observation.SandboxFacts;
import wallfinder.profiling.ProfileWindows;
import wallfinder.record.RunRecord;

/// Several agents that generate a load as one.
public final class GeneratorOfAgents implements Generator {
    /// The message with the start has to arrive before it. A slow path takes longer: the skew shows
    /// it.
    private static final Duration START_LEAD = Duration.ofMillis(500);

    /// How often this host looks whether an agent is lost.
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(100);

    /// If an agent is lost, the others wait no longer for their last answers. The trial ends within
    /// two seconds of the loss.
    private static final Duration LOST_DRAIN = Duration.ofMillis(500);

    /// The last results on a busy host, after the last answers.
    private static final Duration RESULT_MAX = Duration.ofSeconds(10);

    private static final Duration LOST_RESULT_MAX = Duration.ofMillis(800);

    /// What was seen of one agent.
    private record Seen(
            RemoteGenerator agent,
            LoadMessage.Ready ready,
            String host,
            ClockLine clocks,
            LoadOutcome.@Nullable Requests counted) {}

    private final Generators generators;
    private final Origin origin;
    private final @Nullable ServerSide server;
    private final RunContext context;
    private final FarServer far;
    private final UnaryOperator<LoadSpec.Http> filled;
    private final Supplier<SortedMap<String, String>> factors;

    private GeneratorOfAgents(
            Generators generators,
            LoadSpec.Http http,
            Origin origin,
            @Nullable ServerSide server,
            RunContext context,
            UnaryOperator<LoadSpec.Http> filled,
            Supplier<SortedMap<String, String>> factors) {
        this.generators = generators;
        this.origin = origin;
        this.server = server;
        this.context = context;
        this.filled = filled;
        this.factors = factors;
        far = FarServer.of(server, filled.apply(http), context);
    }

    /// For a running service.
    ///
    /// @param http the load, for the port that it goes to
    /// @param server who watches the server, or null
    /// @return null without generators
    public static @Nullable GeneratorOfAgents of(
            @Nullable Generators generators,
            LoadSpec.Http http,
            Origin origin,
            @Nullable ServerSide server,
            RunContext context) {
        return generators == null
                ? null
                : new GeneratorOfAgents(
                        generators, http, origin, server, context, one -> one, TreeMap::new);
    }

    /// For the services of an experiment.
    static GeneratorOfAgents of(
            Generators generators, Testbed testbed, LoadSpec.Http http, RunContext context) {
        return new GeneratorOfAgents(
                generators,
                http,
                Origin.ANY,
                testbed.serverSide(),
                context,
                testbed::filled,
                testbed::factors);
    }

    /// Each agent says what does not fit on its host when it prepares a load.
    @Override
    public List<Caveat> doubts(LoadSpec.Http http) {
        return List.of();
    }

    /// Nobody measures the CPU time of the service meanwhile.
    ///
    /// @throws EnvironmentException if an agent is lost
    @Override
    public @Nullable WarmedUp warm(LoadSpec.Http http, WarmUp warmUp, Duration longest) {
        Duration max = warmUp.longest(longest);
        LoadSpec.Http load =
                filled.apply(http).part(warmUp.connections(), max, LoadSpec.Http.NO_REQUESTS_MAX);
        List<RemoteGenerator> agents = agents(load.connections());
        prepare(agents, load, false);
        long start = begin(agents);
        context.interruption().pause(Duration.ofNanos(start - System.nanoTime()));
        WarmUpWatch.Watched watched =
                WarmUpWatch.watch(
                        warmUp,
                        max,
                        () -> {
                            check(agents);
                            return (long) sum(agents, RemoteGenerator::answersSoFar);
                        },
                        context);
        agents.forEach(agent -> agent.finish(DRAIN_MAX));
        collect(agents, false);
        if (watched == null) {
            return null;
        }
        long counted =
                agents.stream()
                        .map(RemoteGenerator::counted)
                        .filter(Objects::nonNull)
                        .mapToLong(LoadOutcome::answered)
                        .sum();
        double seconds = (System.nanoTime() - start) / 1e9;
        return new WarmedUp(new RunRecord.Warmup(counted, seconds, Double.NaN), watched.warm());
    }

    private static double sum(
            List<RemoteGenerator> agents, ToDoubleFunction<RemoteGenerator> figure) {
        return agents.stream().mapToDouble(figure).sum();
    }

    /// The first agent sends them.
    @Override
    public Alone alone(LoadSpec.Http http, Duration longest) {
        context.progress()
                .show(
                        Moment.of(
                                "one request at a time",
                                Planned.atMost(System.nanoTime(), longest)));
        RemoteGenerator first = generators.agents().getFirst();
        Probe probe = probe(first, http, longest);
        if (probe == null) {
            throw first.lost();
        }
        return new Alone(probe, null);
    }

    private @Nullable Probe probe(RemoteGenerator first, LoadSpec.Http http, Duration longest) {
        LoadSpec.Http one = filled.apply(http).part(1, longest, LoadSpec.Http.NO_REQUESTS_MAX);
        return first.alone(plans(1, one, false).getFirst(), longest);
    }

    /// @throws wallfinder.experiment.UsageException if an agent cannot use the plan
    /// @throws EnvironmentException if a host does not allow it, or if no agent counted anything
    @Override
    public Measured measure(Asked asked) {
        LoadSpec.Http load =
                filled.apply(asked.http())
                        .part(asked.connections(), asked.duration(), asked.http().requestsMax());
        boolean settle = asked.settle() && !asked.counted();
        List<RemoteGenerator> agents = agents(load.connections());
        List<LoadMessage.Ready> readies = prepare(agents, load, settle);
        far.begin();
        long start = begin(agents);
        List<Caveat> caveats = new ArrayList<>(doubts(readies));
        long measured = settle ? start + SETTLE.toNanos() : start;
        ProfileWindows windows =
                new ProfileWindows(
                        asked.profiling(),
                        () -> sum(agents, RemoteGenerator::goodSoFar),
                        measured,
                        measured + asked.duration().toNanos());
        boolean lost =
                drive(
                        agents,
                        new ShownGenerators(agents, load, start, context.progress()),
                        windows);
        windows.end();
        collect(agents, lost);
        long end = System.nanoTime();
        Alone alone = aloneAfter(agents, asked);
        agents.forEach(agent -> {
            if (agent.isComplete()) {
                agent.compareClocks();
            }
        });
        List<Seen> seen = seen(agents, readies);
        caveats.addAll(losses(seen, start, end));
        FarServer.Both both = far.join(measured(seen, load, alone, measured, caveats));
        return new Measured(both.with(factors.get()), caveats, alone);
    }

    /// With fewer connections than agents, only so many agents drive.
    private List<RemoteGenerator> agents(int connections) {
        List<RemoteGenerator> all = generators.agents();
        return all.subList(0, Math.min(all.size(), connections));
    }

    private List<LoadMessage.Plan> plans(int count, LoadSpec.Http load, boolean settle) {
        return LoadSplit.of(
                load,
                origin.sources(),
                generators.hosts().subList(0, count),
                context.engine(),
                settle);
    }

    private List<LoadMessage.Ready> prepare(
            List<RemoteGenerator> agents, LoadSpec.Http load, boolean settle) {
        context.progress()
                .show(Moment.of("preparing the generators", Planned.unknown(System.nanoTime())));
        List<LoadMessage.Plan> plans = plans(agents.size(), load, settle);
        for (int i = 0; i < agents.size(); i++) {
            agents.get(i).prepare(plans.get(i));
        }
        List<LoadMessage.Ready> readies = agents.stream().map(RemoteGenerator::awaitReady).toList();
        agents.forEach(RemoteGenerator::compareClocks);
        return readies;
    }

    /// @return when they begin
    private static long begin(List<RemoteGenerator> agents) {
        long start = System.nanoTime() + START_LEAD.toNanos();
        agents.forEach(agent -> agent.begin(start));
        return start;
    }

    private static List<Caveat> doubts(List<LoadMessage.Ready> readies) {
        List<Caveat> caveats = new ArrayList<>();
        for (LoadMessage.Ready ready : readies) {
            if (ready.tooMany() != null) {
                caveats.add(
                        Doubt.DOES_NOT_FIT.caveat("on " + ready.host() + ": " + ready.tooMany()));
            }
            if (ready.epoll() != null) {
                caveats.add(Doubt.NO_IO_URING.caveat("on " + ready.host() + ": " + ready.epoll()));
            }
        }
        return caveats.stream().distinct().toList();
    }

    /// Waits for the end of the load.
    ///
    /// @return whether an agent was lost
    private boolean drive(
            List<RemoteGenerator> agents, ShownGenerators shown, ProfileWindows windows) {
        while (context.interruption().pause(LOOK_INTERVAL)) {
            if (agents.stream().anyMatch(RemoteGenerator::isLost)) {
                agents.forEach(agent -> agent.finish(LOST_DRAIN));
                return true;
            }
            if (agents.stream().allMatch(RemoteGenerator::isComplete)) {
                return false;
            }
            windows.look();
            shown.show();
        }
        agents.forEach(agent -> agent.finish(DRAIN_MAX));
        return false;
    }

    private static void collect(List<RemoteGenerator> agents, boolean lost) {
        Duration longest = lost ? LOST_DRAIN.plus(LOST_RESULT_MAX) : DRAIN_MAX.plus(RESULT_MAX);
        long end = System.nanoTime() + longest.toNanos();
        agents.stream()
                .filter(agent -> !agent.isLost())
                .forEach(agent ->
                        agent.awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime()))));
    }

    private @Nullable Alone aloneAfter(List<RemoteGenerator> agents, Asked asked) {
        boolean whole = agents.stream().allMatch(RemoteGenerator::isComplete);
        if (!asked.probesAfter() || !whole || context.interruption().isRequested()) {
            return asked.alone();
        }
        Probe probe =
                probe(
                        agents.getFirst(),
                        asked.http(),
                        Generator.probeMax(asked.http(), PROBE_AFTER_MAX));
        return probe == null ? null : new Alone(probe, null);
    }

    private static List<Seen> seen(List<RemoteGenerator> agents, List<LoadMessage.Ready> readies) {
        Map<String, Long> counts =
                readies.stream()
                        .collect(
                                Collectors.groupingBy(
                                        LoadMessage.Ready::host, Collectors.counting()));
        Map<String, Integer> numbers = new HashMap<>();
        List<Seen> seen = new ArrayList<>();
        for (int i = 0; i < agents.size(); i++) {
            String name = readies.get(i).host();
            int number = numbers.merge(name, 1, Integer::sum);
            seen.add(
                    new Seen(
                            agents.get(i),
                            readies.get(i),
                            counts.getOrDefault(name, 1L) > 1 ? name + " #" + number : name,
                            agents.get(i).clocks(),
                            agents.get(i).counted()));
        }
        return seen;
    }

    private static List<Caveat> losses(List<Seen> seen, long start, long end) {
        List<Caveat> caveats = new ArrayList<>();
        for (Seen one : seen) {
            if (!one.agent().isComplete()) {
                String why = one.agent().lostBecause();
                long last = Math.min(end, one.agent().heardNanos());
                caveats.add(
                        Doubt.GENERATOR_LOST.caveat(
                                one.host(),
                                Math.max(0, last - start) / 1e9,
                                why == null ? "its last result did not come in time" : why));
            }
        }
        return caveats;
    }

    private PeerJoin.Client measured(
            List<Seen> seen,
            LoadSpec.Http load,
            @Nullable Alone alone,
            long start,
            List<Caveat> caveats) {
        List<LoadOutcome.Requests> loads = new ArrayList<>();
        List<LoadPart> parts = new ArrayList<>();
        List<MergedTimeline.Part> timelines = new ArrayList<>();
        for (Seen one : seen) {
            if (one.counted() != null) {
                loads.add(one.counted());
                parts.add(part(one, one.counted(), load, seen.size(), start));
                timelines.add(
                        new MergedTimeline.Part(
                                one.ready().bootId() + one.ready().network(),
                                one.agent().timeline(one.clocks())));
            }
        }
        if (loads.isEmpty()) {
            throw new EnvironmentException(
                    "no generator counted anything",
                    caveats.isEmpty() ? "all ended at once" : caveats.getLast().advice(),
                    "see whether those hosts have memory and CPU time left, and try again");
        }
        LoadOutcome.Requests merged =
                MergedLoad.of(loads, parts, load.connections(), load.arrival());
        Observation observation =
                new Observation(
                        alone == null ? merged : alone.probe().addedTo(merged),
                        MergedTimeline.of(timelines),
                        facts(seen));
        return client(observation, load, seen, timelines);
    }

    private static LoadPart part(
            Seen one, LoadOutcome.Requests counted, LoadSpec.Http load, int count, long start) {
        ClockLine clocks = one.clocks();
        return new LoadPart(
                one.host(),
                counted.connections(),
                LoadSplit.perSecond(load.arrival(), count),
                counted.answered(),
                clocks.oursNanos(one.agent().beganNanos()) - start,
                Math.round(clocks.boundNanos()),
                counted.generator(),
                counted.loop() instanceof LoadOutcome.Loop.Open open
                        ? open.lateNanos()
                        : Histograms.empty());
    }

    /// Nobody watches the server, unless a watch is joined.
    private static SandboxFacts facts(List<Seen> seen) {
        Map<String, Integer> cpus = new HashMap<>();
        seen.forEach(one -> cpus.put(one.ready().bootId(), one.ready().cpus().size()));
        int all = cpus.values().stream().mapToInt(Integer::intValue).sum();
        return new SandboxFacts(
                "host",
                new TreeMap<>(),
                new TreeMap<>(),
                all,
                all,
                false,
                Limits.NONE,
                false,
                List.of(),
                List.of());
    }

    private static PeerJoin.Client client(
            Observation observation,
            LoadSpec.Http load,
            List<Seen> seen,
            List<MergedTimeline.Part> timelines) {
        LoadMessage.Ready first = seen.getFirst().ready();
        long zero = MergedTimeline.zeroNanos(timelines);
        return new PeerJoin.Client(
                observation,
                zero,
                HostFacts.epochNanos(zero),
                HostFacts.clockErrorNanos(),
                first.bootId().isEmpty() ? null : first.bootId(),
                first.cpus(),
                Urls.port(Urls.parse(load.url())));
    }

    @Override
    public void check() {
        if (server != null) {
            server.check();
        }
        check(generators.agents());
    }

    /// @throws EnvironmentException if one is lost
    private static void check(List<RemoteGenerator> agents) {
        for (RemoteGenerator agent : agents) {
            if (agent.isLost()) {
                throw agent.lost();
            }
        }
    }
}
