package wallfinder.lab.trial;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.live.Gauge;
import wallfinder.live.Planned;
import wallfinder.load.HoldPlan;
import wallfinder.load.HoldRun;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord;
import wallfinder.sampling.Sampler;
import wallfinder.sandbox.HostMemory;

/// One trial that opens connections, keeps them open, and watches both ends.
public final class HoldTrial {
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);
    private static final Duration LOOK = Duration.ofMillis(50);

    /// Looks between two states of the live view.
    private static final int LOOKS_PER_STATE = 5;

    private final HoldPlan plan;
    private final ConnectionEnds ends;
    private final long memoryFloorBytes;
    private final RunContext context;
    private final @Nullable ServerSide server;
    private final FarServer far;
    private final List<Caveat> caveats = new ArrayList<>();
    private final @Nullable HostMemory memoryBefore = HostMemory.read();

    /// @param memoryFloorBytes the trial ends when the host has less free memory
    /// @param server who watches the service on its own host, or null
    public HoldTrial(
            HoldPlan plan,
            ConnectionEnds ends,
            long memoryFloorBytes,
            @Nullable ServerSide server,
            RunContext context) {
        this.server = server;
        this.far = new FarServer(server, plan.spec().port(), context);
        this.plan = plan;
        this.ends = ends;
        this.memoryFloorBytes = memoryFloorBytes;
        this.context = context;
    }

    /// Holds the connections for the planned time, or until the user asks to stop.
    ///
    /// @param factors what was set, without the number of connections
    public RunRecord.Trial trial(
            String name, SortedMap<String, String> factors, HoldObjective objective) {
        FarServer.Both both = far.join(observe()).with(factors);
        return judged(name, both, Caveat.joined(caveats, both.caveats()), objective);
    }

    /// The trial of what was observed.
    ///
    /// @param both with the factors that were set
    /// @param doubts those of both ends
    public static RunRecord.Trial judged(
            String name, FarServer.Both both, List<Caveat> doubts, HoldObjective objective) {
        Observation observation = both.observation();
        SortedMap<String, String> factors = new TreeMap<>(both.factors());
        factors.put("connections", Integer.toString(observation.load().connections()));
        Diagnosis diagnosis = Diagnosis.of(observation);
        return new RunRecord.Trial(name, factors, observation, diagnosis, doubts, null)
                .checked(objective.check(observation.load(), diagnosis));
    }

    private Observation observe() {
        far.begin();
        List<Reader> readers = new ArrayList<>(ends.readers());
        try (HoldRun run = HoldRun.prepare(plan)) {
            readers.add(run.progress());
            readers.add(run.progress().responseTimes());
            readers.add(HoldRun.memory());
            try (Sampler sampler = Sampler.start(readers, SAMPLE_INTERVAL)) {
                far.measuredFrom(sampler.startNanos());
                run.begin();
                hold(
                        run,
                        new ShownLoad(context.progress(), run.progress(), "answers/s")
                                .with(sampler, ends.serverCpus(), server));
                far.requestEnd();
                Timeline timeline = sampler.stop();
                LoadOutcome outcome = run.finish(Generator.DRAIN_MAX, this::established);
                return new Observation(outcome, timeline, ends.facts());
            }
        } finally {
            readers.forEach(Reader::close);
        }
    }

    /// The kernel's sockets at the end of the trial. Synthetic peers have no sockets at their end.
    private List<LoadOutcome.Sockets> established() {
        return ends.established(plan.spec().port(), plan.spec().ports()).stream()
                .filter(sockets -> plan.link() == null || sockets.end() != End.CLIENT)
                .toList();
    }

    private void hold(HoldRun run, ShownLoad shown) {
        long start = System.nanoTime();
        long end = Long.MAX_VALUE;
        int looks = 0;
        HoldWatch watch = new HoldWatch(plan.spec(), run, memoryFloorBytes, memoryBefore);
        while (!run.over() && context.interruption().pause(LOOK)) {
            long now = System.nanoTime();
            if (end == Long.MAX_VALUE && run.settled()) {
                end = now + plan.spec().duration().toNanos();
            }
            boolean over = end != Long.MAX_VALUE && now - end >= 0;
            if (over || watch.mustEnd()) {
                break;
            }
            if (looks++ % LOOKS_PER_STATE == 0) {
                Planned time =
                        end == Long.MAX_VALUE
                                ? Planned.unknown(start)
                                : Planned.exactly(
                                        end - plan.spec().duration().toNanos(),
                                        plan.spec().duration());
                show(run, shown, watch.doing(), time);
            }
        }
        caveats.addAll(watch.caveats());
    }

    private static void show(HoldRun run, ShownLoad shown, String doing, Planned time) {
        shown.show(
                doing,
                time,
                new Gauge("open", Gauge.Kind.COUNT, run.progress().connections()),
                new Gauge("own memory", Gauge.Kind.BYTES, run.rssBytes()));
    }
}
