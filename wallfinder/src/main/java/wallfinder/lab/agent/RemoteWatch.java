package wallfinder.lab.agent;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.experiment.UsageException;
import wallfinder.lab.peer.Profiler;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.peer.WatchedLoad;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.Life;
import wallfinder.linux.EnvironmentException;
import wallfinder.live.Moment;
import wallfinder.live.Planned;
import wallfinder.observation.Caveat;
import wallfinder.observation.Doubt;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.Peer;
import wallfinder.observation.Timeline;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;
import wallfinder.record.RunRecord;
import wallfinder.remote.AgentProcess;
import wallfinder.remote.KubernetesJob;
import wallfinder.remote.KubernetesPod;
import wallfinder.remote.ProgramFolder;
import wallfinder.remote.RemoteProgram;
import wallfinder.remote.SshLink;
import wallfinder.remote.SshTarget;

/// Watches of the server on its own host, by one agent that ssh starts there: one for each
/// measurement. The samples come while they are taken. If the agent dies, what came before stays,
/// and the measurement goes on.
public final class RemoteWatch implements ServerSide, AutoCloseable {
    /// The last readings, on a busy host.
    private static final Duration END_MAX = Duration.ofSeconds(20);

    /// A busy JVM collects its garbage before it answers.
    private static final Duration CENSUS_MAX = Duration.ofSeconds(60);

    private static final Duration SERVED_LOOK = Duration.ofMillis(100);

    /// A step of a clock that is smaller does not matter: samples are this far apart.
    private static final double JUMP_NANOS_MIN = 100e6;

    private final RemoteAgent agent;
    private final Runnable end;
    private final Conversation conversation;
    private final Interruption stopped = new Interruption();
    private final Progress progress;
    private final int port;
    private final Function<WatchedLoad, Message> watch;
    private boolean endRequested;
    private boolean lost;

    /// @param watch asks for each watch
    /// @param port of the service; 0 if none was named
    private RemoteWatch(
            RemoteAgent agent,
            Runnable end,
            Function<WatchedLoad, Message> watch,
            int port,
            Progress progress) {
        this.port = port;
        this.end = end;
        this.watch = watch;
        this.agent = agent;
        this.conversation = agent.conversation();
        this.progress = progress;
    }

    /// Connects to the host, copies this program there if it is missing, and begins to watch. If
    /// the load is ours, that watch ends at once: it has shown any mistake before the first load.
    ///
    /// @param load `OURS` or `OF_OTHERS`
    /// @param home where this program is installed
    /// @param version of this program
    /// @throws UsageException if there is no such service
    /// @throws EnvironmentException if the host, or the service there, does not allow it
    public static RemoteWatch start(
            SshTarget target,
            WatchSubject subject,
            WatchedLoad load,
            Path home,
            String version,
            Progress progress) {
        SshLink link = SshLink.open(target, RemoteProgram.QUESTIONS);
        try {
            RemoteProgram program = RemoteCommand.copied(link, ProgramFolder.of(home), progress);
            AgentProcess agent = new AgentProcess.BySsh(link, program.start("agent"));
            int port = subject instanceof WatchSubject.OfPort named ? named.port() : 0;
            return start(agent, link::close, subject, port, load, version, progress);
        } catch (RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    /// The same, of a pod. The agent is in another pod, on the same node.
    ///
    /// @param port of the service in the pod; 0 if unknown
    /// @throws EnvironmentException if there is no such pod, or the cluster does not allow it
    public static RemoteWatch start(
            KubernetesPod pod, int port, WatchedLoad load, String version, Progress progress) {
        KubernetesPod.Found found = pod.find();
        WatchSubject subject = new WatchSubject.OfPod(pod.name(), found.uid());
        KubernetesJob job = KubernetesJob.watcher(pod, found, version, progress::say);
        try {
            AgentProcess agent = job.agents().getFirst();
            return start(agent, job::close, subject, port, load, version, progress);
        } catch (RuntimeException | Error e) {
            job.close();
            throw e;
        }
    }

    /// The same, by an agent that runs already.
    ///
    /// @param end ends the agent
    static RemoteWatch start(
            AgentProcess agent,
            Runnable end,
            WatchSubject subject,
            int port,
            WatchedLoad load,
            String version,
            Progress progress) {
        Function<WatchedLoad, Message> asked = under -> new Message.Watch(subject, under);
        RemoteWatch watch = greeted(agent, end, asked, port, version, progress);
        Message.Watching watching = watch.next(load);
        if (watching == null) {
            throw watch.agent.notStarted(
                    "the agent on %s did not begin to watch".formatted(agent.where()));
        }
        progress.say(
                "watching %s on %s (%s)"
                        .formatted(watching.described(), watching.peer().host(), agent.where()));
        if (load == WatchedLoad.OURS) {
            watch.stop();
            watch.check();
        }
        watch.pingAlways();
        return watch;
    }

    /// The same, of services that the agent starts. It watches nothing yet.
    ///
    /// @param end ends the agent
    static RemoteWatch ofServices(
            AgentProcess agent, Runnable end, String version, Progress progress) {
        RemoteWatch watch = greeted(agent, end, Message.WatchServices::new, 0, version, progress);
        watch.pingAlways();
        return watch;
    }

    private static RemoteWatch greeted(
            AgentProcess agent,
            Runnable end,
            Function<WatchedLoad, Message> watch,
            int port,
            String version,
            Progress progress) {
        RemoteAgent greeted = new RemoteAgent(agent);
        greeted.greet(version);
        return new RemoteWatch(greeted, end, watch, port, progress);
    }

    @Override
    public int port() {
        return port;
    }

    private void pingAlways() {
        Thread.ofPlatform().daemon().name("pings").start(this::keepPinging);
    }

    /// Services that an agent has started.
    ///
    /// @param nanos how long the start took
    /// @param notReady why the service whose life is watched did not get ready; null if it is
    record Begun(long nanos, @Nullable EnvironmentException notReady) {}

    /// Starts services, and waits until they are ready.
    ///
    /// @param logs the folder in which their logs will be
    /// @param stop polled; true ends the waiting
    /// @throws CancellationException if `stop` ended the waiting
    Begun serve(Message.Serve serve, Path logs, Duration longest, BooleanSupplier stop) {
        conversation.renewServices();
        agent.send(serve);
        long end = System.nanoTime() + longest.toNanos();
        while (conversation.served() == null && !conversation.hasEnded()) {
            if (stop.getAsBoolean()) {
                throw new CancellationException();
            }
            Message.Failed failed = conversation.failed();
            if (failed != null) {
                throw agent.failure(failed);
            }
            if (System.nanoTime() - end > 0) {
                throw new EnvironmentException(
                        "the services on %s did not start".formatted(agent.where()),
                        "the agent there said nothing for %d s".formatted(longest.toSeconds()),
                        "see whether that host has memory and CPU time left, and try again");
            }
            conversation.await(SERVED_LOOK, () -> conversation.served() != null);
        }
        Message.Served served = conversation.served();
        if (served == null) {
            throw unwatched();
        }
        if (served.failed() == null) {
            return new Begun(served.nanos(), null);
        }
        RuntimeException failure =
                agent.failure(served.failed().with(served.folder(), logs.toString()));
        if (served.lives() && failure instanceof EnvironmentException notReady) {
            return new Begun(served.nanos(), notReady);
        }
        throw failure;
    }

    /// Ends the watch of a service from its start on.
    ///
    /// @throws EnvironmentException if the agent is gone
    Life.Lived endLife() {
        agent.send(new Message.EndLife());
        Message.Lived lived = conversation.lived(CENSUS_MAX);
        throwFailure();
        if (lived == null) {
            throw unwatched();
        }
        return lived.seen();
    }

    /// Stops the services. If they do not end, the end of the agent kills them.
    ///
    /// @return what is left; null if the agent does not say it
    Message.@Nullable Closed stopServices(Duration longest) {
        conversation.takeFailed(); // of a watch
        agent.send(new Message.Close());
        Message.Closed closed = conversation.closed(longest);
        if (closed != null && closed.failed() != null) {
            progress.say(
                    "on %s: %s: %s"
                            .formatted(
                                    agent.where(), closed.failed().what(), closed.failed().why()));
        }
        return closed;
    }

    /// @return null if the agent did not begin
    private Message.@Nullable Watching next(WatchedLoad load) {
        conversation.renew();
        endRequested = false;
        agent.send(watch.apply(load));
        Message.Watching watching = conversation.watching(RemoteAgent.START_MAX);
        throwFailure();
        if (watching != null && load != WatchedLoad.ONE_AT_A_TIME) {
            agent.compareClocks();
        }
        return watching;
    }

    /// A failure ends one watch. The agent may still be able to begin the next one.
    private void throwFailure() {
        Message.Failed failed = conversation.takeFailed();
        if (failed != null) {
            throw agent.failure(failed);
        }
    }

    @Override
    public boolean watchesAgain() {
        return true;
    }

    @Override
    public void begin() {
        begin(WatchedLoad.OURS);
    }

    private void begin(WatchedLoad load) {
        check();
        if (next(load) == null) {
            lost = true;
            throw unwatched();
        }
    }

    @Override
    public void beginAlone() {
        begin(WatchedLoad.ONE_AT_A_TIME);
    }

    @Override
    public Timeline endAlone() {
        stop();
        if (lost) {
            throw unwatched();
        }
        return conversation.timeline();
    }

    @Override
    public void check() {
        if (lost || conversation.hasEnded()) {
            throw unwatched();
        }
    }

    private EnvironmentException unwatched() {
        return conversation.hasEnded()
                ? new EnvironmentException(
                        "the server is not watched any more",
                        "the agent on %s ended (%s)".formatted(agent.where(), agent.why()),
                        "see there what ended it, and measure again")
                : new EnvironmentException(
                        "the server is not watched any more",
                        "the agent on %s does not answer in time".formatted(agent.where()),
                        "see whether that host has memory and CPU time left, and measure again");
    }

    @Override
    public Now now() {
        Peer peer = conversation.peer();
        return new Now(peer.host(), peer.cpus().size(), conversation.recent());
    }

    @Override
    public Profiling profiling(Samples samples) {
        return RemoteProfile.begin(conversation, agent::send, samples);
    }

    private void keepPinging() {
        while (stopped.pause(RemoteAgent.PING_INTERVAL)) {
            if (!agent.ping() && conversation.hasEnded()) {
                if (!stopped.isRequested()) {
                    progress.say(
                            "the agent on %s ended (%s): the server is not watched from now on"
                                    .formatted(agent.where(), agent.why()));
                }
                return;
            }
        }
    }

    @Override
    public Seen await(RunContext context) {
        return end();
    }

    private Seen end() {
        stop();
        agent.compareClocks();
        List<RoundTrip> trips = conversation.trips();
        if (trips.isEmpty()) {
            throw unwatched();
        }
        return joinedBy(ClockLine.of(trips));
    }

    @Override
    public void requestEnd() {
        if (!endRequested) {
            endRequested = true;
            agent.send(new Message.Stop());
        }
    }

    private void stop() {
        requestEnd();
        conversation.awaitEnd(END_MAX);
        throwFailure();
        lost = conversation.isLost();
    }

    private Seen joinedBy(ClockLine clocks) {
        Peer peer = conversation.peer();
        long start = conversation.startNanos();
        long ours = clocks.oursNanos(start);
        Timeline theirs = conversation.timeline();
        long[] nanos =
                Arrays.stream(theirs.nanos())
                        .map(nano -> clocks.oursNanos(start + nano) - ours)
                        .toArray();
        List<Caveat> caveats = new ArrayList<>();
        if (clocks.strayNanos() > JUMP_NANOS_MIN) {
            caveats.add(Doubt.PEER_CLOCK_JUMPED.caveat(clocks.strayNanos() / 1e9));
        }
        return new Seen(
                new Peer(
                        peer.subject(),
                        peer.host(),
                        peer.bootId(),
                        peer.startEpochNanos(),
                        peer.clockErrorNanos(),
                        peer.cpus(),
                        new Timeline(nanos, theirs.series()),
                        peer.facts()),
                new Clocks.Compared(ours, Math.round(clocks.boundNanos())),
                caveats,
                lost ? agent.why() : null);
    }

    /// Waits, and judges what was seen of the service under the load of others.
    ///
    /// @param duration null: until the user stops it or the service ends
    public Watch.Result run(@Nullable Duration duration, RunContext context) {
        return run(duration, context, Profiler.none(), List.of());
    }

    /// The same, with a profile.
    public Watch.Result profiled(@Nullable Duration duration, RunContext context) {
        List<Caveat> doubts = new ArrayList<>();
        try (Profiler profiler = Profiler.of(profiling(Samples.WITH_ALLOCATIONS), doubts::add)) {
            return run(duration, context, profiler, doubts);
        }
    }

    /// @param doubts of the profiler
    private Watch.Result run(
            @Nullable Duration duration,
            RunContext context,
            Profiler profiler,
            List<Caveat> doubts) {
        long start = System.nanoTime();
        Planned time = duration == null ? Planned.unknown(start) : Planned.exactly(start, duration);
        long left = duration == null ? Long.MAX_VALUE : duration.toNanos();
        while (left > 0
                && !conversation.isOver()
                && context.interruption()
                        .pause(Duration.ofNanos(Math.min(left, Moment.INTERVAL.toNanos())))) {
            profiler.look();
            if (progress.isShown()) {
                progress.show(Watch.moment(conversation.peer(), conversation.recent(), time));
            }
            left = duration == null ? left : start + duration.toNanos() - System.nanoTime();
        }
        CpuProfile profile = profiler.stop();
        Seen all = end();
        long[] nanos = all.peer().timeline().nanos();
        Observation observation =
                new Observation(
                        new LoadOutcome.Unseen(nanos[nanos.length - 1] / 1e9),
                        all.peer().timeline(),
                        all.peer().facts());
        RunRecord.Trial trial = Watch.trial(all.peer().subject(), all.peer().host(), observation);
        trial = trial.with(profile == null ? null : new RunRecord.Profile(profile, null));
        for (Caveat caveat : all.caveats()) {
            trial = trial.with(caveat);
        }
        for (Caveat doubt : doubts) {
            trial = trial.with(doubt);
        }
        if (all.lost() != null) {
            trial = trial.with(Doubt.PEER_LOST.caveat(observation.load().seconds(), all.lost()));
        }
        return new Watch.Result(trial, all.peer());
    }

    @Override
    public void close() {
        stopped.request();
        end.run();
    }
}
