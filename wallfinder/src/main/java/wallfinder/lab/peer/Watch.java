package wallfinder.lab.peer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Fullness;
import wallfinder.lab.session.HostFacts;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.live.Gauge;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.live.Threads;
import wallfinder.observation.Doubt;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Peer;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Reader;
import wallfinder.observation.Timeline;
import wallfinder.profiling.CpuProfiling;
import wallfinder.record.RunRecord;
import wallfinder.sampling.SampleSink;
import wallfinder.sampling.Sampler;
import wallfinder.sampling.UnloadedLook;
import wallfinder.sandbox.RunningJvm;

/// Watches a service under the load of others, and names its wall. It changes no setting.
public final class Watch implements AutoCloseable {
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(100);

    private final Watched service;
    private final boolean profiles;
    private final WatchedLoad load;

    /// @throws wallfinder.experiment.UsageException if there is no such service
    /// @throws wallfinder.linux.EnvironmentException if this user may not watch it
    public Watch(WatchSubject subject) {
        this(subject, WatchedLoad.OF_OTHERS);
    }

    /// @throws wallfinder.experiment.UsageException if there is no such service
    /// @throws wallfinder.linux.EnvironmentException if this user may not watch it
    public Watch(WatchSubject subject, WatchedLoad load) {
        this(WatchedService.of(subject), load);
    }

    /// Also samples what the CPUs do.
    public static Watch profiling(WatchSubject subject) {
        return new Watch(WatchedService.of(subject), true, WatchedLoad.OF_OTHERS);
    }

    /// Of services that this program has started.
    public Watch(Watched service, WatchedLoad load) {
        this(service, false, load);
    }

    private Watch(Watched service, boolean profiles, WatchedLoad load) {
        this.service = service;
        this.profiles = profiles;
        this.load = load;
    }

    /// @param peer what a load on another host needs to know of it
    public record Result(RunRecord.Trial trial, Peer peer) {}

    /// @param duration null: until the user stops it or the service ends
    public Result run(@Nullable Duration duration, RunContext context) {
        context.progress().say("watching " + describe());
        context.lock().caveats().forEach(service::doubt);
        return run(duration, context.interruption(), context.progress(), SampleSink.NONE);
    }

    /// What is watched, for the user.
    public String describe() {
        return service.describe() + listens();
    }

    /// The processes of the service, without their descendants.
    public long[] processes() {
        return service.processes();
    }

    /// @param sink gets each sample when it is taken
    public Result run(
            @Nullable Duration duration,
            Interruption interruption,
            Progress progress,
            SampleSink sink) {
        List<Reader> readers = new ArrayList<>(service.readers());
        try (Profiler profiler = profiles ? profiler() : Profiler.none();
                Sampler sampler = sampler(readers, interruption, sink)) {
            long startEpochNanos = HostFacts.epochNanos(sampler.startNanos());
            await(sampler, profiler, duration, interruption, progress);
            CpuProfile profile = profiler.stop();
            Timeline timeline = sampler.stop();
            sampler.caveats().forEach(service::doubt);
            long[] nanos = timeline.nanos();
            Observation observation =
                    new Observation(
                            new LoadOutcome.Unseen(nanos[nanos.length - 1] / 1e9),
                            timeline,
                            service.facts());
            return new Result(
                    trial(service.describe(), null, observation)
                            .with(profile == null ? null : new RunRecord.Profile(profile, null)),
                    peer(observation.timeline(), startEpochNanos));
        } finally {
            readers.forEach(Reader::close);
        }
    }

    private Sampler sampler(List<Reader> readers, Interruption interruption, SampleSink sink) {
        if (load.beginsUnloaded()) {
            UnloadedLook.take(readers, interruption::pause);
        }
        return load == WatchedLoad.ONE_AT_A_TIME
                ? Sampler.startShort(readers, sink)
                : Sampler.start(readers, SAMPLE_INTERVAL, sink);
    }

    private Profiler profiler() {
        return Profiler.of(
                CpuProfiling.start(
                        service.processes(),
                        RunningJvm::major,
                        CpuProfiling.Samples.WITH_ALLOCATIONS),
                service::doubt);
    }

    private String listens() {
        return service.ports().isEmpty()
                ? ", which listens on no port"
                : ", port "
                        + String.join(", ", service.ports().stream().map(String::valueOf).toList());
    }

    private void await(
            Sampler sampler,
            Profiler profiler,
            @Nullable Duration duration,
            Interruption interruption,
            Progress progress) {
        long start = System.nanoTime();
        long left = duration == null ? Long.MAX_VALUE : duration.toNanos();
        while (left > 0
                && interruption.pause(
                        Duration.ofNanos(Math.min(left, Moment.INTERVAL.toNanos())))) {
            double seconds = (System.nanoTime() - start) / 1e9;
            boolean any = !Double.isNaN(latest(sampler, ProcessFigure.CPU));
            if (service.ended(any)) {
                service.doubt(Doubt.SERVICE_ENDED.caveat(service.name(), seconds));
                return;
            }
            profiler.look();
            show(sampler, duration, start, progress);
            left = duration == null ? left : start + duration.toNanos() - System.nanoTime();
        }
    }

    private double latest(Sampler sampler, ProcessFigure figure) {
        return sampler.latest(figure.of(service.name()), End.SERVER);
    }

    private void show(Sampler sampler, @Nullable Duration duration, long start, Progress progress) {
        Planned time = duration == null ? Planned.unknown(start) : Planned.exactly(start, duration);
        String watched = service.describe();
        if (!progress.isShown()) {
            progress.show(Moment.of("watching " + watched, time));
            return;
        }
        int cpus = service.cpus().cardinality();
        progress.show(moment(watched, service.name(), cpus, sampler.recent(), time));
    }

    /// What a live view shows of a service on another host.
    ///
    /// @param recent the newest values, as a timeline of one second
    public static Moment moment(Peer peer, Timeline recent, Planned time) {
        return moment(
                "%s on %s".formatted(peer.subject(), peer.host()),
                peer.facts().services().getFirst().name(),
                peer.cpus().size(),
                recent,
                time);
    }

    private static Moment moment(
            String watched, String name, int cpus, Timeline recent, Planned time) {
        return new Moment(
                "watching " + watched,
                time,
                List.of(
                        gauge("threads", Gauge.Kind.COUNT, recent, ProcessFigure.THREADS.of(name)),
                        gauge("memory", Gauge.Kind.BYTES, recent, ProcessFigure.RSS.of(name))),
                Fullness.of(recent, cpus),
                Threads.of(recent));
    }

    private static Gauge gauge(String name, Gauge.Kind kind, Timeline recent, Key key) {
        return new Gauge(name, kind, recent.last(key, End.SERVER));
    }

    /// Judges what was seen of a service under an unseen load.
    ///
    /// @param watched the service, for the user
    /// @param host the host where it runs, or null for this one
    public static RunRecord.Trial trial(
            String watched, @Nullable String host, Observation observation) {
        SortedMap<String, String> factors = new TreeMap<>();
        factors.put(RunRecord.WATCHED, host == null ? watched : watched + " on " + host);
        if (host != null) {
            factors.put(RunRecord.PEER_HOST, host);
        }
        return new RunRecord.Trial(
                "watch", factors, observation, Diagnosis.of(observation), List.of(), null);
    }

    /// What another host needs to know of the service.
    ///
    /// @param startEpochNanos the zero of the timeline by the clock of this host, since 1970
    public Peer peer(Timeline timeline, long startEpochNanos) {
        return new Peer(
                service.describe(),
                HostFacts.name(),
                HostFacts.bootId(),
                startEpochNanos,
                HostFacts.clockErrorNanos(),
                service.cpus().stream().boxed().toList(),
                timeline,
                service.facts());
    }

    @Override
    public void close() {
        service.close();
    }
}
