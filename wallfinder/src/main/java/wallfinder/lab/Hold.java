package wallfinder.lab;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.experiment.HoldSpec;
import wallfinder.experiment.Objective;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.EngineChoice;
import wallfinder.load.EngineThreads;
import wallfinder.load.HoldPlan;
import wallfinder.load.HoldRun;
import wallfinder.load.Sources;
import wallfinder.observation.Caveat;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.report.RunRecord;
import wallfinder.sampling.LocalPortRange;
import wallfinder.sampling.Sampler;
import wallfinder.sandbox.HostMemory;
import wallfinder.synthetic.Link;

/// Opens connections to a service that is there already, keeps them, and tells what became of each.
public final class Hold implements AutoCloseable {
    private static final Path PROC_SYS_NET = Path.of("/proc/sys/net");
    private static final int PEER_PORT_MIN = 1024;
    private static final int PEER_PORT_MAX = 65_535;
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);
    private static final Duration LIVE_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration DRAIN_MAX = Duration.ofSeconds(2);

    private final HoldSpec spec;
    private final HoldPlan plan;
    private final @Nullable Objective objective;
    private final RunContext context;
    private final Means means;
    private final HostEnds ends;
    private final @Nullable Link link;
    private long liveNanos;
    private long liveMessages;

    /// What the connections are made of, and what is left to others.
    ///
    /// @param synthetic whether the peers are no sockets
    /// @param memoryFloorBytes the run ends when the host has less memory left
    public record Means(boolean synthetic, long memoryFloorBytes) {}

    /// @throws EnvironmentException if this host cannot hold so many connections
    public Hold(
            HoldSpec spec,
            Means means,
            Origin origin,
            @Nullable Objective objective,
            RunContext context) {
        this.spec = spec;
        this.means = means;
        this.objective = objective;
        this.context = context;
        InetSocketAddress target = HostScene.resolve(spec.host(), spec.port());
        EngineThreads threads =
                new EngineThreads(() -> {}, origin.cpus().stream().toArray(), EngineChoice.EPOLL);
        link = means.synthetic() ? link(target, origin) : null;
        plan = link == null ? plan(target, origin, threads) : plan(target, origin, threads, link);
        HoldRun.check(plan);
        if (link != null) {
            HostScene.reach(target, target.toString());
        }
        ends = new HostEnds(target, spec.ports(), origin);
    }

    private static Link link(InetSocketAddress target, Origin origin) {
        return SyntheticLink.open(target, SyntheticLink.peers(target, origin.sources()));
    }

    private HoldPlan plan(InetSocketAddress target, Origin origin, EngineThreads threads) {
        LocalPortRange range = LocalPortRange.read(PROC_SYS_NET);
        Sources sources = new Sources(origin.sources(), range.portMin(), range.portMax());
        return HoldPlan.of(spec, target, sources, threads);
    }

    private HoldPlan plan(
            InetSocketAddress target, Origin origin, EngineThreads threads, Link peers) {
        var addresses = SyntheticLink.peers(target, origin.sources());
        Sources sources = new Sources(addresses, PEER_PORT_MIN, PEER_PORT_MAX);
        return HoldPlan.synthetic(spec, target, sources, threads, peers);
    }

    /// Refuses a target that nobody listens on, before anything is made or waited for.
    ///
    /// @throws EnvironmentException if nothing accepts a connection there
    public static void check(HoldSpec spec, String told) {
        HostScene.reach(HostScene.resolve(spec.host(), spec.port()), told);
    }

    /// Holds them for as long as was asked, or until the user wants to stop.
    public RunRecord.Trial run() {
        Observation observation = observe();
        SortedMap<String, String> factors = new TreeMap<>();
        factors.put("connections", Integer.toString(spec.connections()));
        return new RunRecord.Trial(
                "hold",
                factors,
                observation,
                Diagnosis.of(observation),
                List.of(),
                met(observation.load()));
    }

    /// What `hold` is for: all stand, and every answer was right.
    private boolean met(LoadOutcome load) {
        LoadOutcome.Hold hold = load.hold();
        boolean all = hold != null && hold.fate(LoadOutcome.Hold.ALIVE) == spec.connections();
        return all
                && !load.errors().containsKey(ErrorKind.CORRUPTED.word())
                && (objective == null || Objectives.met(objective, load));
    }

    private Observation observe() {
        List<Reader> readers = new ArrayList<>(ends.readers());
        try (HoldRun run = HoldRun.prepare(plan)) {
            readers.add(run.progress());
            readers.add(HoldRun.memory());
            try (Sampler sampler = Sampler.start(readers, SAMPLE_INTERVAL)) {
                run.begin();
                hold(run);
                Timeline timeline = sampler.stop();
                return new Observation(run.finish(DRAIN_MAX), timeline, ends.facts());
            }
        } finally {
            context.progress().live("");
            readers.forEach(Reader::close);
        }
    }

    private void hold(HoldRun run) {
        liveNanos = System.nanoTime();
        long end = Long.MAX_VALUE;
        while (!run.over() && context.interruption().pause(LOOK)) {
            long now = System.nanoTime();
            if (end == Long.MAX_VALUE && run.settled()) {
                end = now + spec.duration().toNanos();
            }
            boolean over = end != Long.MAX_VALUE && now - end >= 0;
            if (over || memoryIsShort()) {
                return;
            }
            live(run, now);
        }
    }

    /// What is held is the kernel's memory, and nothing else here bounds it.
    private boolean memoryIsShort() {
        Long free = HostMemory.availableBytes();
        if (free == null || free >= means.memoryFloorBytes()) {
            return false;
        }
        ends.doubt(
                new Caveat(
                        "memory-floor",
                        "It ended early: the host had %,d MiB of memory left, and is to keep %,d."
                                .formatted(free >> 20, means.memoryFloorBytes() >> 20)));
        return true;
    }

    private void live(HoldRun run, long now) {
        long nanos = now - liveNanos;
        if (nanos < LIVE_INTERVAL.toNanos()) {
            return;
        }
        long messages = run.progress().requests();
        context.progress()
                .live(
                        "%,d of %,d connections, %,d failures: %,.0f messages/s, RSS %,d MiB"
                                .formatted(
                                        run.progress().connections(),
                                        spec.connections(),
                                        run.progress().errors(),
                                        (messages - liveMessages) / (nanos / 1e9),
                                        run.rssBytes() >> 20));
        liveNanos = now;
        liveMessages = messages;
    }

    @Override
    public void close() {
        ends.close();
        if (link != null) {
            link.close();
        }
    }
}
