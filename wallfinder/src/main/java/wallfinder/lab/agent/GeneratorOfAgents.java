package wallfinder.lab.agent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.peer.PeerJoin;
import wallfinder.lab.peer.ServerSide;
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
import wallfinder.observation.Timeline;
import wallfinder.observation.Unloaded;
import wallfinder.profiling.ProfileWindows;
import wallfinder.record.RunRecord;

/// Several agents that generate a load as one.
public final class GeneratorOfAgents implements Generator {
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
        Team team = Team.of(generators, load.connections());
        prepare(team, load, false);
        long start = team.begin();
        context.interruption().pause(Duration.ofNanos(start - System.nanoTime()));
        WarmUpWatch.Watched watched =
                WarmUpWatch.watch(
                        warmUp,
                        max,
                        () -> {
                            team.check();
                            return (long) team.sum(RemoteGenerator::answersSoFar);
                        },
                        context);
        team.finish(false);
        if (watched == null) {
            return null;
        }
        team.check();
        long counted =
                team.agents().stream()
                        .map(RemoteGenerator::counted)
                        .filter(Objects::nonNull)
                        .mapToLong(LoadOutcome::answered)
                        .sum();
        double seconds = (System.nanoTime() - start) / 1e9;
        return new WarmedUp(new RunRecord.Warmup(counted, seconds, Double.NaN), watched.warm());
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
        Alone alone = alone(first, http, longest);
        if (alone == null) {
            throw first.lost();
        }
        return alone;
    }

    /// @return null if the agent is lost
    private @Nullable Alone alone(RemoteGenerator first, LoadSpec.Http http, Duration longest) {
        far.beginAlone();
        Probe probe = probe(first, http, longest);
        Timeline seen = far.endAlone();
        if (probe == null) {
            return null;
        }
        return new Alone(probe, seen == null ? null : new Unloaded(probe.sent(), seen, null));
    }

    private @Nullable Probe probe(RemoteGenerator first, LoadSpec.Http http, Duration longest) {
        LoadSpec.Http one =
                filled.apply(http).drawn().part(1, longest, LoadSpec.Http.NO_REQUESTS_MAX);
        return first.alone(plans(1, one, false).getFirst(), longest);
    }

    /// @throws wallfinder.experiment.UsageException if an agent cannot use the plan
    /// @throws EnvironmentException if a host does not allow it, or if no agent counted anything
    @Override
    public Measured measure(Asked asked) {
        LoadSpec.Http http = asked.http();
        LoadSpec.Http load =
                filled.apply(http)
                        .with(Urls.arrival(http, asked.connections()))
                        .part(asked.connections(), asked.duration(), http.requestsMax());
        boolean settle = asked.settles();
        Team team = Team.of(generators, load.connections());
        List<LoadMessage.Ready> readies = prepare(team, load, settle);
        far.begin();
        long start = team.begin();
        List<Caveat> caveats = new ArrayList<>(doubts(readies));
        long measured = settle ? start + SETTLE.toNanos() : start;
        ProfileWindows windows =
                new ProfileWindows(
                        asked.profiling(),
                        () -> team.sum(RemoteGenerator::goodSoFar),
                        measured,
                        measured + asked.duration().toNanos());
        boolean lost =
                drive(team, new ShownGenerators(team, load, start, context.progress()), windows);
        windows.end();
        far.requestEnd();
        team.finish(lost);
        long end = System.nanoTime();
        far.end();
        Alone alone = aloneAfter(team, asked);
        team.compareClocks();
        SeenGenerators seen = SeenGenerators.of(team, readies);
        caveats.addAll(seen.caveats(start, end));
        List<LoadOutcome.Requests> loads = seen.counted(LoadOutcome.Requests.class, caveats);
        LoadOutcome.Requests merged =
                MergedLoad.of(
                        loads,
                        seen.parts(LoadSplit.perSecond(load.arrival(), team.size()), measured),
                        load.connections(),
                        load.arrival());
        PeerJoin.Client client =
                seen.client(
                        alone == null ? merged : alone.probe().addedTo(merged),
                        alone == null ? null : alone.unloaded(),
                        Urls.port(Urls.parse(load.url())));
        return new Measured(far.join(client).with(factors.get()), caveats, alone);
    }

    private List<LoadMessage.Plan> plans(int count, LoadSpec.Http load, boolean settle) {
        return LoadSplit.of(
                load, origin.sources(), generators.hosts(), count, context.engine(), settle);
    }

    private List<LoadMessage.Ready> prepare(Team team, LoadSpec.Http load, boolean settle) {
        context.progress()
                .show(Moment.of("preparing the generators", Planned.unknown(System.nanoTime())));
        return team.prepare(plans(team.size(), load, settle), load.arrival());
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
    private boolean drive(Team team, ShownGenerators shown, ProfileWindows windows) {
        while (context.interruption().pause(Team.LOOK_INTERVAL)) {
            if (team.hasLostOne()) {
                return true;
            }
            if (team.isComplete()) {
                return false;
            }
            if (team.hasLastSamples()) {
                far.requestEnd();
            }
            windows.look();
            shown.show();
        }
        return false;
    }

    private @Nullable Alone aloneAfter(Team team, Asked asked) {
        if (!asked.probesAfter() || team.hasLostOne() || context.interruption().isRequested()) {
            return asked.alone();
        }
        return alone(
                team.agents().getFirst(),
                asked.http(),
                Generator.probeMax(asked.http(), PROBE_AFTER_MAX));
    }

    @Override
    public void check() {
        if (server != null) {
            server.check();
        }
        generators.check();
    }
}
