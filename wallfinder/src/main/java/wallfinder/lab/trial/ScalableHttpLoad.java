package wallfinder.lab.trial;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.load.Probe;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.Observation;
import wallfinder.profiling.Profiling;
import wallfinder.record.RunRecord;

/// Requests over HTTP at any number of connections.
public final class ScalableHttpLoad implements ScalableLoad {
    /// The longest time for the requests one at a time before a load.
    private static final Duration PROBE_MAX = Duration.ofSeconds(2);

    /// Long enough to run all code of a service a few times. The climb warms it fully at the wall.
    private static final Duration START_MAX = Duration.ofSeconds(5);

    /// After this time the climb measures again.
    private static final Duration REWARM_MAX = Duration.ofSeconds(5);

    private final Generator generator;
    private final LoadSpec.Http http;
    private final @Nullable Objective objective;
    private final List<Caveat> caveats = new ArrayList<>();
    private RunRecord.@Nullable Warmup warmedBy;
    private Generator.@Nullable Alone alone;
    private double warmupSeconds;
    private long answered;
    private boolean warm;

    public ScalableHttpLoad(
            Generator generator, LoadSpec.Http http, @Nullable Objective objective) {
        this.generator = generator;
        this.http = http;
        this.objective = objective;
        caveats.addAll(generator.doubts(http));
    }

    @Override
    public void start(int connections) {
        WarmUp warmUp = WarmUp.untilWarm(connections);
        warm(warmUp.gentle(http), warmUp.of(http), Climb.shorter(START_MAX, http.warmup()));
        caveats.removeIf(caveat -> caveat.is(Doubt.NOT_STEADY));
        probe();
    }

    @Override
    public void begin(WarmUp warmUp) {
        warm(warmUp.gentle(http), warmUp.of(http), http.warmup());
        probe();
    }

    @Override
    public State rewarm(WarmUp warmUp) {
        Duration left = http.warmup().minusNanos((long) (warmupSeconds * 1e9));
        if (http.warmup().isZero()) {
            return State.AS_IT_IS;
        }
        if (left.isPositive()) {
            warm(warmUp.gentle(http), warmUp.of(http), Climb.shorter(REWARM_MAX, left));
        }
        warm =
                !left.isPositive()
                        || caveats.stream().noneMatch(caveat -> caveat.is(Doubt.NOT_STEADY));
        if (warm) {
            probe();
        }
        return warm ? State.WARM : State.COLD;
    }

    @Override
    public boolean warm() {
        return warm;
    }

    @Override
    public long answered() {
        return answered;
    }

    @Override
    public RunRecord.Trial trial(String name, int connections, Duration duration) {
        return trial(name, connections, duration, true);
    }

    /// The same. Each second of the measured time is a window of the profiler.
    RunRecord.Trial trial(String name, int connections, Duration duration, Profiling profiling) {
        return trial(name, asked(http, connections, duration, true, profiling));
    }

    /// Drives the measured load until the service is warm, for `load` with a warm-up.
    public void warmUnder(int connections) {
        warm(http.drawn(), WarmUp.untilWarm(connections), http.warmup());
    }

    private void warm(LoadSpec.Http load, WarmUp warmUp, Duration longest) {
        if (longest.isZero()) {
            return;
        }
        Generator.WarmedUp done = generator.warm(load, warmUp, longest);
        if (done == null) {
            return;
        }
        answered += done.warmup().answers();
        warmupSeconds += done.warmup().seconds();
        warmedBy =
                new RunRecord.Warmup(answered, warmupSeconds, done.warmup().cpuMicrosPerAnswer());
        caveats.removeIf(caveat -> caveat.is(Doubt.NOT_STEADY));
        if (!done.warm()) {
            caveats.add(Doubt.NOT_STEADY.caveat(warmupSeconds));
        }
    }

    /// Sends requests one after the other, for the latency without load.
    private void probe() {
        know(generator.alone(http, Generator.probeMax(http, PROBE_MAX)));
    }

    private void know(Generator.Alone known) {
        alone = known;
        answered += known.probe().good() + known.probe().bad();
    }

    /// @param settle true to exclude the opening of the connections from the measurement
    public RunRecord.Trial trial(String name, int connections, Duration duration, boolean settle) {
        return trial(name, asked(http, connections, duration, settle, null));
    }

    /// Measures with another arrival, over the given number of connections.
    public RunRecord.Trial trial(String name, Arrival arrival, Duration duration) {
        return trial(name, asked(http.with(arrival), http.connections(), duration, true, null));
    }

    /// The mean time of a good answer without load, in seconds; `NaN` if there was none.
    public double aloneSeconds() {
        Probe probe = alone == null ? null : alone.probe();
        return probe == null || probe.good() == 0
                ? Double.NaN
                : probe.responseNanos().getMean() / 1e9;
    }

    /// @throws wallfinder.linux.EnvironmentException if a further trial would not see both ends
    public void check() {
        generator.check();
    }

    private Generator.Asked asked(
            LoadSpec.Http load,
            int connections,
            Duration duration,
            boolean settle,
            @Nullable Profiling profiling) {
        return new Generator.Asked(load.drawn(), connections, duration, settle, profiling, alone);
    }

    private RunRecord.Trial trial(String name, Generator.Asked asked) {
        Generator.Measured measured = generator.measure(asked);
        if (alone == null && measured.alone() != null) {
            know(measured.alone());
        }
        Observation observation = measured.both().observation();
        SortedMap<String, String> factors = new TreeMap<>(measured.both().factors());
        factors.put("connections", Integer.toString(asked.connections()));
        answered += observation.load().answered();
        Diagnosis diagnosis = Diagnosis.of(observation);
        return new RunRecord.Trial(
                        name,
                        factors,
                        observation,
                        diagnosis,
                        Caveat.joined(
                                Caveat.joined(caveats, measured.caveats()),
                                measured.both().caveats()),
                        null,
                        warmedBy,
                        RunRecord.Role.SINGLE)
                .checked(Objectives.check(objective, observation.load(), diagnosis));
    }
}
