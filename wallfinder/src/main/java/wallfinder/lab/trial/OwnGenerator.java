package wallfinder.lab.trial;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.session.RunContext;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.load.EngineChoice;
import wallfinder.load.LoadRun;
import wallfinder.load.Probe;
import wallfinder.load.SmallLoad;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.observation.Unloaded;
import wallfinder.profiling.ProfileWindows;
import wallfinder.record.RunRecord;
import wallfinder.sampling.Sampler;
import wallfinder.sampling.UnloadedLook;

/// Our own engine on this host.
public final class OwnGenerator implements Generator {
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);

    private static final Duration DONE_INTERVAL = Duration.ofMillis(10);

    private final Testbed testbed;
    private final RunContext context;
    private final FarServer far;

    /// @param http the load, for the port that it goes to
    public OwnGenerator(Testbed testbed, LoadSpec.Http http, RunContext context) {
        this.testbed = testbed;
        this.context = context;
        this.far = FarServer.of(testbed.serverSide(), testbed.filled(http), context);
    }

    @Override
    public List<Caveat> doubts(LoadSpec.Http http) {
        try {
            LoadRun.check(testbed.plan(http, http.connections()));
            return List.of();
        } catch (EnvironmentException e) {
            String text = e.getMessage() + ": " + e.todo();
            context.progress().say(text);
            return List.of(Doubt.DOES_NOT_FIT.caveat(text));
        }
    }

    @Override
    public @Nullable WarmedUp warm(LoadSpec.Http http, WarmUp warmUp, Duration longest) {
        long start = System.nanoTime();
        try (ServiceCpu cpu = new ServiceCpu(testbed.serviceReaders());
                LoadRun run = LoadRun.start(testbed.plan(http, warmUp.connections()))) {
            ShownLoad shown = new ShownLoad(context.progress(), run.progress(), "answers/s");
            WarmUpWatch.Watched watched =
                    WarmUpWatch.watch(
                            warmUp,
                            warmUp.longest(longest),
                            run.progress()::requests,
                            cpu,
                            context,
                            shown::show);
            if (watched == null) {
                return null;
            }
            run.finish(DRAIN_MAX);
            double seconds = (System.nanoTime() - start) / 1e9;
            return new WarmedUp(
                    new RunRecord.Warmup(
                            run.progress().requests(), seconds, watched.cpuMicrosPerAnswer()),
                    watched.warm());
        }
    }

    /// Samples the services meanwhile, to see where the time of an answer goes without load.
    @Override
    public Alone alone(LoadSpec.Http http, Duration longest) {
        context.progress()
                .show(
                        Moment.of(
                                "one request at a time",
                                Planned.atMost(System.nanoTime(), longest)));
        far.beginAlone();
        List<Reader> readers = testbed.readers();
        UnloadedLook.take(readers, context.interruption()::pause);
        try (Sampler sampler = Sampler.startShort(readers)) {
            Probe alone = SmallLoad.probe(testbed.plan(http, 1), PROBES, longest);
            Timeline timeline = sampler.stop();
            Timeline there = far.endAlone();
            return new Alone(
                    alone,
                    new Unloaded(
                            alone.sent(),
                            there == null ? timeline : there,
                            HandshakeProbe.of(testbed, http, alone, context.interruption())));
        }
    }

    private @Nullable Alone aloneAfter(Asked asked) {
        return asked.probesAfter() && !context.interruption().isRequested()
                ? alone(asked.http(), Generator.probeMax(asked.http(), PROBE_AFTER_MAX))
                : asked.alone();
    }

    @Override
    public Measured measure(Asked asked) {
        far.begin();
        List<Caveat> caveats = new ArrayList<>();
        List<Reader> readers = new ArrayList<>(testbed.readers());
        UnloadedLook.take(readers, context.interruption()::pause);
        try (LoadRun run =
                LoadRun.prepare(
                        testbed.plan(asked.http(), asked.connections()),
                        asked.http().requestsMax())) {
            readers.add(run.progress());
            readers.add(run.progress().responseTimes());
            caveats.addAll(whyEpoll(run));
            try (Sampler sampler = begin(run, readers, asked.settles())) {
                far.measuredFrom(sampler.startNanos());
                ShownLoad shown =
                        new ShownLoad(context.progress(), run.progress(), "answers/s")
                                .with(sampler, testbed.serverCpus(), testbed.serverSide());
                watch(run, asked, shown);
                far.requestEnd();
                Timeline timeline = sampler.stop();
                LoadOutcome.Requests outcome = run.finish(DRAIN_MAX);
                far.end();
                Alone alone = aloneAfter(asked);
                Observation observation =
                        new Observation(
                                alone == null ? outcome : alone.probe().addedTo(outcome),
                                timeline,
                                testbed.facts(),
                                alone == null ? null : alone.unloaded());
                return new Measured(far.join(observation).with(testbed.factors()), caveats, alone);
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
                run.awaitSchedule();
                return sampler;
            } catch (RuntimeException | Error e) {
                sampler.close();
                throw e;
            }
        }
        run.begin();
        context.interruption().pause(SETTLE);
        run.awaitSchedule();
        run.mark();
        return Sampler.start(readers, SAMPLE_INTERVAL);
    }

    private List<Caveat> whyEpoll(LoadRun run) {
        return context.engine() == EngineChoice.AUTO
                        && run.driver().equals(EngineChoice.EPOLL.word())
                ? List.of(Doubt.NO_IO_URING.caveat(run.driverReason()))
                : List.of();
    }

    /// @return false if the load or the run has ended
    private boolean pause(LoadRun run, Asked asked, Duration step) {
        if (!asked.counted()) {
            return context.interruption().pause(step);
        }
        for (Duration left = step; left.isPositive(); left = left.minus(DONE_INTERVAL)) {
            if (run.done() || !context.interruption().pause(DONE_INTERVAL)) {
                return false;
            }
        }
        return true;
    }

    private void watch(LoadRun run, Asked asked, ShownLoad shown) {
        long start = System.nanoTime();
        long end = start + asked.duration().toNanos();
        ProfileWindows windows =
                new ProfileWindows(asked.profiling(), () -> run.progress().good(), start, end);
        windows.look();
        for (long left = end - start; left > 0; left = end - System.nanoTime()) {
            Duration step = Duration.ofNanos(Math.min(left, Moment.INTERVAL.toNanos()));
            if (!pause(run, asked, step)) {
                break;
            }
            windows.look();
            shown.show(
                    asked.words(),
                    asked.counted()
                            ? left(run, asked, start)
                            : Planned.exactly(start, asked.duration()));
        }
        windows.end();
    }

    /// A fixed number of requests ends when the last is answered, at the rate until now.
    private static Planned left(LoadRun run, Asked asked, long start) {
        long now = System.nanoTime();
        long done = run.progress().requests() + run.progress().errors();
        double seconds = (now - start) / 1e9;
        return done == 0
                ? Planned.unknown(start)
                : Planned.estimated(
                        start,
                        now,
                        seconds * (asked.http().requestsMax() - done) / done,
                        Planned.Bound.ABOUT);
    }

    @Override
    public void check() {
        ServerSide server = testbed.serverSide();
        if (server != null) {
            server.check();
        }
    }
}
