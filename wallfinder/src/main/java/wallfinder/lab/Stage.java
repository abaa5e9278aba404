package wallfinder.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.Objective;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.EngineChoice;
import wallfinder.load.Load;
import wallfinder.load.LoadRun;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.report.RunRecord;
import wallfinder.sampling.Sampler;

/// A scene that is driven by our own engine and measured at any number of connections.
final class Stage implements Levels {
    /// One request at a time, as many as these, gives the latency that the service has without
    /// load.
    private static final int PROBES = 20;

    private static final Duration PROBE_MAX = Duration.ofSeconds(2);

    /// Connections are opened and the first answers are in before a measurement begins.
    private static final Duration SETTLE = Duration.ofMillis(500);

    private static final Duration DRAIN_MAX = Duration.ofSeconds(2);
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);
    private static final String NO_IO_URING = "no-io-uring";
    private static final Duration DONE_INTERVAL = Duration.ofMillis(10);
    private static final Duration LIVE_INTERVAL = Duration.ofMillis(250);

    private final Scene scene;
    private final LoadSpec.Http http;
    private final @Nullable Objective objective;
    private final RunContext context;
    private final List<Caveat> caveats = new ArrayList<>();
    private Histogram unloadedNanos = new Histogram(3);
    private double warmupSeconds;
    private long startEpochNanos;

    Stage(Scene scene, LoadSpec.Http http, @Nullable Objective objective, RunContext context) {
        this.scene = scene;
        this.http = http;
        this.objective = objective;
        this.context = context;
        sayIfTooMany();
    }

    /// Connections that do not fit are driven all the same, and what was measured is kept: but the
    /// result will be invalid, which is told before anybody waits for it.
    private void sayIfTooMany() {
        try {
            LoadRun.check(scene.plan(http, http.connections()));
        } catch (EnvironmentException e) {
            String told = e.getMessage() + ": " + e.todo();
            caveats.add(new Caveat("does-not-fit", told));
            context.progress().say(told);
        }
    }

    @Override
    public void begin(int connections) {
        warm(connections);
        probe();
    }

    @Override
    public RunRecord.Trial trial(String name, int connections, Duration duration) {
        return trial(name, connections, duration, true);
    }

    /// Drives the load until its rate grows no more; without a warm-up, nothing is driven.
    void warm(int connections) {
        Duration max = http.warmup();
        if (max.isZero()) {
            return;
        }
        Steady steady = new Steady();
        long windows = max.dividedBy(Steady.WINDOW);
        boolean warm = windows == 0;
        long start = System.nanoTime();
        try (LoadRun run = LoadRun.start(scene.plan(http, connections))) {
            if (warm) {
                context.interruption().pause(max);
            }
            long before = run.progress().requests();
            for (int window = 1; window <= windows && !warm; window++) {
                if (!context.interruption().pause(Steady.WINDOW)) {
                    return;
                }
                long now = run.progress().requests();
                double perSecond = (now - before) / (Steady.WINDOW.toNanos() / 1e9);
                context.progress().live("warming up: %,.0f requests/s".formatted(perSecond));
                warm = steady.add(perSecond);
                before = now;
            }
            run.finish(DRAIN_MAX);
        }
        warmupSeconds = (System.nanoTime() - start) / 1e9;
        if (!warm) {
            caveats.add(
                    new Caveat(
                            "not-steady",
                            "the rate still grew after %d s of warm-up: raise warmup"
                                    .formatted(max.toSeconds())));
        }
    }

    /// Asks a few requests one after the other: the latency without load, against which it is held
    /// under load.
    private void probe() {
        unloadedNanos = Load.probe(scene.plan(http, 1), PROBES, PROBE_MAX);
    }

    /// Measures at one load and judges what was seen.
    ///
    /// @param settle true to leave the opening of the connections out of the measurement
    RunRecord.Trial trial(String name, int connections, Duration duration, boolean settle) {
        Observation observation = observe(connections, duration, settle);
        SortedMap<String, String> factors = new TreeMap<>(scene.factors());
        factors.put("connections", Integer.toString(connections));
        if (warmupSeconds > 0) {
            factors.put(RunRecord.WARMUP, "%.1f s".formatted(warmupSeconds));
        }
        return new RunRecord.Trial(
                name,
                factors,
                observation,
                Diagnosis.of(observation),
                List.copyOf(caveats),
                objective == null ? null : Objectives.met(objective, observation.load()));
    }

    /// When the last measurement began, by the clock of this host, since 1970.
    long startEpochNanos() {
        return startEpochNanos;
    }

    private Observation observe(int connections, Duration duration, boolean settle) {
        List<Reader> readers = new ArrayList<>(scene.readers());
        try (LoadRun run = LoadRun.prepare(scene.plan(http, connections), http.requestsMax())) {
            readers.add(run.progress());
            sayWhyEpoll(run);
            try (Sampler sampler = begin(run, readers, settle && !counted())) {
                startEpochNanos = HostFacts.epochNanos(sampler.startNanos());
                watch(run, connections, duration);
                Timeline timeline = sampler.stop();
                LoadOutcome outcome = run.finish(DRAIN_MAX, unloadedNanos);
                return new Observation(outcome, timeline, scene.facts());
            }
        } finally {
            readers.forEach(Reader::close);
        }
    }

    /// The sampler's first look is before the first connect, or after the settling: what the
    /// opening does is in the measurement, or it is not.
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
                && caveats.stream().noneMatch(caveat -> caveat.id().equals(NO_IO_URING))) {
            caveats.add(
                    new Caveat(
                            NO_IO_URING,
                            run.driverReason()
                                    + ". epoll drives instead, and needs more CPU for a request."));
        }
    }

    /// Whether the measurement ends with a number of requests: then each of them counts.
    private boolean counted() {
        return http.requestsMax() != LoadSpec.Http.NO_REQUESTS_MAX;
    }

    /// @return false when there is nothing more to wait for
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

    private void watch(LoadRun run, int connections, Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        long before = run.progress().requests();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            Duration step = Duration.ofNanos(Math.min(left, LIVE_INTERVAL.toNanos()));
            if (!pause(run, step)) {
                return;
            }
            long now = run.progress().requests();
            double perSecond = (now - before) / (step.toNanos() / 1e9);
            context.progress()
                    .live("%d connections: %,.0f requests/s".formatted(connections, perSecond));
            before = now;
        }
    }
}
