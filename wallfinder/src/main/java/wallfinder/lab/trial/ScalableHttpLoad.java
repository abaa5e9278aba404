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
import wallfinder.lab.session.RunContext;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.load.EngineChoice;
import wallfinder.load.LoadRun;
import wallfinder.load.Probe;
import wallfinder.load.SmallLoad;
import wallfinder.observation.Caveat;
import wallfinder.observation.Counter;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unloaded;
import wallfinder.profiling.CpuProfiling;
import wallfinder.record.LoadWording;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.sampling.Sampler;
import wallfinder.sampling.UnloadedLook;

/// Requests over HTTP, driven by our own engine at any number of connections.
public final class ScalableHttpLoad implements ScalableLoad {
    /// The number of requests, one at a time, that show the latency without load: enough to find
    /// the slowest 1 %. [#PROBE_MAX] bounds their time.
    public static final int PROBES = 1_000;

    private static final Duration PROBE_MAX = Duration.ofSeconds(2);

    /// A short load is no reason for fewer probes than this time allows.
    private static final Duration PROBE_MIN = Duration.ofMillis(500);

    /// Long enough to run all code of a service a few times. The climb warms it fully at the wall.
    private static final Duration START_MAX = Duration.ofSeconds(5);

    /// After this time the climb measures again.
    private static final Duration REWARM_MAX = Duration.ofSeconds(5);

    /// The same after a load without a warm-up.
    public static final Duration PROBE_AFTER_MAX = Duration.ofSeconds(1);

    /// Time for the connects and the first answers before a measurement.
    private static final Duration SETTLE = Duration.ofMillis(500);

    /// How long a load waits for its last answers.
    public static final Duration DRAIN_MAX = Duration.ofSeconds(2);

    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);

    private static final Duration DONE_INTERVAL = Duration.ofMillis(10);

    /// A window of the profiler: many samples, and many windows in a trial.
    private static final Duration PROFILE_WINDOW = Duration.ofSeconds(1);

    private final Testbed testbed;
    private final LoadSpec.Http http;
    private final @Nullable Objective objective;
    private final RunContext context;
    private final FarServer far;
    private final List<Caveat> caveats = new ArrayList<>();
    private RunRecord.@Nullable Warmup warmedBy;
    private @Nullable Probe probe;
    private @Nullable Unloaded unloaded;
    private double warmupSeconds;
    private long answered;
    private boolean warm;

    public ScalableHttpLoad(
            Testbed testbed,
            LoadSpec.Http http,
            @Nullable Objective objective,
            RunContext context) {
        this.testbed = testbed;
        this.http = http;
        this.objective = objective;
        this.context = context;
        this.far = FarServer.of(testbed.serverSide(), testbed.filled(http), context);
        sayIfTooMany();
    }

    /// Reports connections that do not fit. The load runs all the same, with an invalid result.
    private void sayIfTooMany() {
        try {
            LoadRun.check(testbed.plan(http, http.connections()));
        } catch (EnvironmentException e) {
            String text = e.getMessage() + ": " + e.todo();
            caveats.add(Doubt.DOES_NOT_FIT.caveat(text));
            context.progress().say(text);
        }
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
    RunRecord.Trial trial(String name, int connections, Duration duration, CpuProfiling profiling) {
        return trial(name, connections, observe(http, connections, duration, true, profiling));
    }

    /// Drives the measured load until the service is warm, for `load` with a warm-up.
    public void warmUnder(int connections) {
        warm(http, WarmUp.untilWarm(connections), http.warmup());
    }

    private void warm(LoadSpec.Http load, WarmUp warmUp, Duration longest) {
        if (longest.isZero()) {
            return;
        }
        WarmUpDriver.Done done = new WarmUpDriver(testbed, context).drive(load, warmUp, longest);
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
        probe = probe(probeMax(PROBE_MAX));
        answered += probe.good() + probe.bad();
    }

    /// The probes take no longer than the load, unless that is very short.
    private Duration probeMax(Duration longest) {
        Duration load = http.duration().compareTo(PROBE_MIN) < 0 ? PROBE_MIN : http.duration();
        return Climb.shorter(longest, load);
    }

    /// Samples the services meanwhile, to see where the time of an answer goes without load.
    private Probe probe(Duration longest) {
        context.progress()
                .show(
                        Moment.of(
                                "one request at a time",
                                Planned.atMost(System.nanoTime(), longest)));
        List<Reader> readers = readersOfServices();
        UnloadedLook.take(readers, context.interruption()::pause);
        try (Sampler sampler = Sampler.startShort(readers)) {
            Probe alone = SmallLoad.probe(testbed.plan(http, 1), PROBES, longest);
            Timeline timeline = sampler.stop();
            unloaded =
                    new Unloaded(
                            alone.good() + alone.bad(),
                            timeline,
                            HandshakeProbe.of(testbed, http, alone, context.interruption()));
            return alone;
        }
    }

    /// Counters of a whole end say nothing about one answer, and take CPU.
    private List<Reader> readersOfServices() {
        List<Reader> readers = new ArrayList<>();
        for (Reader reader : testbed.readers()) {
            if (reader.counters().stream().anyMatch(ScalableHttpLoad::isOfService)) {
                readers.add(reader);
            } else {
                reader.close();
            }
        }
        return readers;
    }

    private static boolean isOfService(Counter counter) {
        return counter.end() == End.SERVER && counter.key() instanceof Key.Of;
    }

    /// Probes a service after the load if it was not probed before: it is warm then. A load with a
    /// fixed number of requests sends no others.
    private void probeAfter() {
        if (probe == null && !counted() && !context.interruption().isRequested()) {
            probe = probe(probeMax(PROBE_AFTER_MAX));
        }
    }

    /// @param settle true to exclude the opening of the connections from the measurement
    public RunRecord.Trial trial(String name, int connections, Duration duration, boolean settle) {
        return trial(name, connections, observe(http, connections, duration, settle, null));
    }

    /// Measures with another arrival, over the given number of connections.
    public RunRecord.Trial trial(String name, Arrival arrival, Duration duration) {
        int connections = http.connections();
        return trial(
                name, connections, observe(http.with(arrival), connections, duration, true, null));
    }

    /// The mean time of a good answer without load, in seconds; `NaN` if there was none.
    public double aloneSeconds() {
        return probe == null || probe.good() == 0
                ? Double.NaN
                : probe.responseNanos().getMean() / 1e9;
    }

    private RunRecord.Trial trial(String name, int connections, Observation own) {
        FarServer.Both both = far.join(own);
        Observation observation = both.observation();
        SortedMap<String, String> factors = new TreeMap<>(testbed.factors());
        factors.putAll(both.factors());
        factors.put("connections", Integer.toString(connections));
        answered += observation.load().answered();
        Diagnosis diagnosis = Diagnosis.of(observation);
        return new RunRecord.Trial(
                        name,
                        factors,
                        observation,
                        diagnosis,
                        FarServer.both(caveats, both.caveats()),
                        null,
                        warmedBy,
                        RunRecord.Role.SINGLE)
                .checked(Objectives.check(objective, observation.load(), diagnosis));
    }

    private Observation observe(
            LoadSpec.Http load,
            int connections,
            Duration duration,
            boolean settle,
            @Nullable CpuProfiling profiling) {
        far.begin();
        List<Reader> readers = new ArrayList<>(testbed.readers());
        UnloadedLook.take(readers, context.interruption()::pause);
        try (LoadRun run = LoadRun.prepare(testbed.plan(load, connections), load.requestsMax())) {
            readers.add(run.progress());
            sayWhyEpoll(run);
            try (Sampler sampler = begin(run, readers, settle && !counted())) {
                far.measuredFrom(sampler.startNanos());
                ShownLoad shown =
                        new ShownLoad(context.progress(), run.progress(), "answers/s")
                                .with(sampler, testbed.serverCpus(), testbed.serverSide());
                watch(run, doing(load, connections), duration, new Windows(run, profiling), shown);
                Timeline timeline = sampler.stop();
                LoadOutcome.Requests outcome = run.finish(DRAIN_MAX);
                probeAfter();
                return new Observation(
                        probe == null ? outcome : probe.addedTo(outcome),
                        timeline,
                        testbed.facts(),
                        unloaded);
            }
        } finally {
            readers.forEach(Reader::close);
        }
    }

    /// Starts the sampler before the first connect, so that the measurement includes the opening of
    /// the connections, or after the settling, so that it does not.
    private Sampler begin(LoadRun run, List<Reader> readers, boolean settle) {
        if (!settle) {
            Sampler sampler = Sampler.start(readers, SAMPLE_INTERVAL);
            try {
                run.begin();
                return sampler;
            } catch (RuntimeException | Error e) {
                sampler.close();
                throw e;
            }
        }
        run.begin();
        context.interruption().pause(SETTLE);
        run.mark();
        return Sampler.start(readers, SAMPLE_INTERVAL);
    }

    private void sayWhyEpoll(LoadRun run) {
        if (context.engine() == EngineChoice.AUTO
                && run.driver().equals(EngineChoice.EPOLL.word())
                && caveats.stream().noneMatch(caveat -> caveat.is(Doubt.NO_IO_URING))) {
            caveats.add(Doubt.NO_IO_URING.caveat(run.driverReason()));
        }
    }

    /// Whether the load is a fixed number of requests. Then each of them counts.
    private boolean counted() {
        return http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
    }

    /// @return false if the load or the run has ended
    private boolean pause(LoadRun run, Duration step) {
        if (!counted()) {
            return context.interruption().pause(step);
        }
        for (Duration left = step; left.isPositive(); left = left.minus(DONE_INTERVAL)) {
            if (run.done() || !context.interruption().pause(DONE_INTERVAL)) {
                return false;
            }
        }
        return true;
    }

    /// The windows of a profiler, or none.
    private static final class Windows {
        private final LoadRun run;
        private final @Nullable CpuProfiling profiling;
        private long good;
        private long startNanos;

        Windows(LoadRun run, @Nullable CpuProfiling profiling) {
            this.run = run;
            this.profiling = profiling;
            good = run.progress().good();
            startNanos = System.nanoTime();
            if (profiling != null) {
                profiling.beginWindow();
            }
        }

        /// Ends a window that has lasted long enough.
        void next() {
            if (System.nanoTime() - startNanos >= PROFILE_WINDOW.toNanos()) {
                end();
            }
        }

        void end() {
            if (profiling == null) {
                return;
            }
            long now = run.progress().good();
            profiling.endWindow(now - good);
            good = now;
            startNanos = System.nanoTime();
        }
    }

    /// `64 connections`, or `100 connections, 2,500/s asked`.
    private static String doing(LoadSpec.Http load, int connections) {
        String text = NumberText.plural(connections, "connection", "connections");
        return load.arrival() instanceof Arrival.Open open
                ? text + ", " + LoadWording.asked(open)
                : text;
    }

    private void watch(
            LoadRun run, String doing, Duration duration, Windows windows, ShownLoad shown) {
        long start = System.nanoTime();
        long end = start + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            Duration step = Duration.ofNanos(Math.min(left, Moment.INTERVAL.toNanos()));
            if (!pause(run, step)) {
                break;
            }
            windows.next();
            shown.show(doing, counted() ? left(run, start) : Planned.exactly(start, duration));
        }
        windows.end();
    }

    /// A fixed number of requests ends when the last is answered, at the rate until now.
    private Planned left(LoadRun run, long start) {
        long now = System.nanoTime();
        long done = run.progress().requests() + run.progress().errors();
        double seconds = (now - start) / 1e9;
        return done == 0
                ? Planned.unknown(start)
                : Planned.estimated(
                        start,
                        now,
                        seconds * (http.requestsMax() - done) / done,
                        Planned.Bound.ABOUT);
    }
}
