package wallfinder.lab.agent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Limits;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.lab.peer.PeerJoin;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.FarServer;
import wallfinder.lab.trial.Objectives;
import wallfinder.lab.trial.Origin;
import wallfinder.lab.trial.ScalableHttpLoad;
import wallfinder.lab.trial.Urls;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.Gauge;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.load.Probe;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.Observation;
import wallfinder.observation.SandboxFacts;
import wallfinder.observation.Timeline;
import wallfinder.record.LoadWording;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;

/// One measurement with a load that several agents generate as one.
///
/// @param objective what it must meet, or null
/// @param server who watches the server, or null
public record GeneratorsLoad(
        Generators generators,
        LoadSpec.Http http,
        Origin origin,
        @Nullable Objective objective,
        @Nullable ServerSide server,
        RunContext context) {
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

    /// The requests one at a time, with those that are sent again after a pause.
    private static final Duration ALONE_MAX = Duration.ofSeconds(15);

    /// What was seen of one agent.
    private record Seen(
            RemoteGenerator agent,
            LoadMessage.Ready ready,
            String host,
            ClockLine clocks,
            LoadOutcome.@Nullable Requests counted) {}

    /// @throws wallfinder.experiment.UsageException if an agent cannot use the plan
    /// @throws EnvironmentException if a host does not allow it, or if no agent counted anything
    public RunRecord.Trial measure() {
        List<RemoteGenerator> agents = generators.agents();
        List<LoadMessage.Ready> readies = prepare(agents);
        FarServer far = FarServer.of(server, http, context);
        far.begin();
        long start = System.nanoTime() + START_LEAD.toNanos();
        agents.forEach(agent -> agent.begin(start));
        List<Caveat> caveats = new ArrayList<>(doubts(readies));
        boolean lost = drive(agents, start);
        collect(agents, lost);
        long end = System.nanoTime();
        Probe alone = alone(agents);
        agents.forEach(agent -> {
            if (agent.isComplete()) {
                agent.compareClocks();
            }
        });
        List<Seen> seen = seen(agents, readies);
        caveats.addAll(losses(seen, start, end));
        return measured(seen, alone, start, far, caveats);
    }

    private List<LoadMessage.Ready> prepare(List<RemoteGenerator> agents) {
        long now = System.nanoTime();
        context.progress()
                .show(
                        http.warmup().isZero()
                                ? Moment.of("preparing the generators", Planned.unknown(now))
                                : Moment.of("warming up", Planned.exactly(now, http.warmup())));
        List<LoadMessage.Plan> plans =
                LoadSplit.of(http, origin.sources(), generators.targets(), context.engine());
        for (int i = 0; i < agents.size(); i++) {
            agents.get(i).prepare(plans.get(i));
        }
        awaitWarmUp(agents);
        List<LoadMessage.Ready> readies = agents.stream().map(RemoteGenerator::awaitReady).toList();
        agents.forEach(RemoteGenerator::compareClocks);
        return readies;
    }

    /// Each agent ends its warm-up by itself, or earlier if the user asks the run to stop.
    private void awaitWarmUp(List<RemoteGenerator> agents) {
        long end = System.nanoTime() + http.warmup().toNanos();
        while (System.nanoTime() < end && agents.stream().noneMatch(GeneratorsLoad::isLost)) {
            if (!context.interruption().pause(LOOK_INTERVAL)) {
                agents.forEach(agent -> agent.finish(ScalableHttpLoad.DRAIN_MAX));
                return;
            }
        }
    }

    /// What all agents did before they were ready; null if no warm-up was asked for. Nobody
    /// measures the CPU time of the service meanwhile.
    private RunRecord.@Nullable Warmup warmup(List<Seen> seen) {
        if (http.warmup().isZero()) {
            return null;
        }
        long answers = seen.stream().mapToLong(one -> one.ready().warmupAnswers()).sum();
        long nanos = seen.stream().mapToLong(one -> one.ready().warmupNanos()).max().orElse(0);
        return new RunRecord.Warmup(answers, nanos / 1e9, Double.NaN);
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
    private boolean drive(List<RemoteGenerator> agents, long start) {
        Shown shown = new Shown(agents, start);
        while (context.interruption().pause(LOOK_INTERVAL)) {
            if (agents.stream().anyMatch(GeneratorsLoad::isLost)) {
                agents.forEach(agent -> agent.finish(LOST_DRAIN));
                return true;
            }
            if (agents.stream().allMatch(RemoteGenerator::isComplete)) {
                return false;
            }
            shown.show();
        }
        agents.forEach(agent -> agent.finish(ScalableHttpLoad.DRAIN_MAX));
        return false;
    }

    private static boolean isLost(RemoteGenerator agent) {
        return agent.lostBecause() != null;
    }

    private static void collect(List<RemoteGenerator> agents, boolean lost) {
        Duration longest =
                lost
                        ? LOST_DRAIN.plus(LOST_RESULT_MAX)
                        : ScalableHttpLoad.DRAIN_MAX.plus(RESULT_MAX);
        long end = System.nanoTime() + longest.toNanos();
        agents.stream()
                .filter(agent -> !isLost(agent))
                .forEach(agent ->
                        agent.awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime()))));
    }

    /// A load with a fixed number of requests sends no others.
    private @Nullable Probe alone(List<RemoteGenerator> agents) {
        boolean counted = http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
        if (counted || context.interruption().isRequested()) {
            return null;
        }
        boolean whole = agents.stream().allMatch(RemoteGenerator::isComplete);
        return whole ? agents.getFirst().alone(ALONE_MAX) : null;
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

    private RunRecord.Trial measured(
            List<Seen> seen,
            @Nullable Probe alone,
            long start,
            FarServer far,
            List<Caveat> caveats) {
        List<LoadOutcome.Requests> loads = new ArrayList<>();
        List<LoadPart> parts = new ArrayList<>();
        List<MergedTimeline.Part> timelines = new ArrayList<>();
        for (Seen one : seen) {
            if (one.counted() != null) {
                loads.add(one.counted());
                parts.add(part(one, one.counted(), start));
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
                MergedLoad.of(loads, parts, http.connections(), http.arrival());
        Timeline timeline = MergedTimeline.of(timelines);
        Observation observation =
                new Observation(
                        alone == null ? merged : alone.addedTo(merged), timeline, facts(seen));
        return trial(far.join(client(observation, seen, timelines)), caveats, warmup(seen));
    }

    private LoadPart part(Seen one, LoadOutcome.Requests counted, long start) {
        ClockLine clocks = one.clocks();
        return new LoadPart(
                one.host(),
                counted.connections(),
                LoadSplit.perSecond(http.arrival(), generators.agents().size()),
                counted.answered(),
                clocks.oursNanos(one.agent().beganNanos()) - start,
                Math.round(clocks.boundNanos()),
                counted.generator(),
                counted.loop() instanceof LoadOutcome.Loop.Open open
                        ? open.lateNanos()
                        : Histograms.empty());
    }

    private RunRecord.Trial trial(
            FarServer.Both both, List<Caveat> caveats, RunRecord.@Nullable Warmup warmup) {
        Observation observation = both.observation();
        SortedMap<String, String> factors = new TreeMap<>(both.factors());
        factors.put("connections", Integer.toString(http.connections()));
        Diagnosis diagnosis = Diagnosis.of(observation);
        return new RunRecord.Trial(
                        "load",
                        factors,
                        observation,
                        diagnosis,
                        FarServer.both(caveats, both.caveats()),
                        null,
                        warmup,
                        RunRecord.Role.SINGLE)
                .checked(Objectives.check(objective, observation.load(), diagnosis));
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

    private PeerJoin.Client client(
            Observation observation, List<Seen> seen, List<MergedTimeline.Part> timelines) {
        LoadMessage.Ready first = seen.getFirst().ready();
        long zero = MergedTimeline.zeroNanos(timelines);
        return new PeerJoin.Client(
                observation,
                zero,
                HostFacts.epochNanos(zero),
                HostFacts.clockErrorNanos(),
                first.bootId().isEmpty() ? null : first.bootId(),
                first.cpus(),
                Urls.port(Urls.parse(http.url())));
    }

    /// The live view: the rate of all generators together.
    private final class Shown {
        private final List<RemoteGenerator> agents;
        private final long start;
        private final String doing;
        private long shownNanos;
        private double good;

        Shown(List<RemoteGenerator> agents, long start) {
            this.agents = agents;
            this.start = start;
            shownNanos = start;
            String text =
                    NumberText.plural(http.connections(), "connection", "connections")
                            + " of "
                            + NumberText.plural(agents.size(), "generator", "generators");
            doing =
                    http.arrival() instanceof Arrival.Open open
                            ? text + ", " + LoadWording.asked(open)
                            : text;
        }

        void show() {
            long now = System.nanoTime();
            if (now - shownNanos < Moment.INTERVAL.toNanos()) {
                return;
            }
            double goodNow = agents.stream().mapToDouble(RemoteGenerator::goodSoFar).sum();
            double perSecond = (goodNow - good) / ((now - shownNanos) / 1e9);
            shownNanos = now;
            good = goodNow;
            boolean counted = http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
            context.progress()
                    .show(
                            new Moment(
                                    doing,
                                    counted
                                            ? Planned.unknown(start)
                                            : Planned.exactly(start, http.duration()),
                                    List.of(
                                            new Gauge(
                                                    "answers/s", Gauge.Kind.PER_SECOND, perSecond)),
                                    List.of()));
        }
    }
}
