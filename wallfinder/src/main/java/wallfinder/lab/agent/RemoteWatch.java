package wallfinder.lab.agent;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.CpuProfile;
import wallfinder.experiment.UsageException;
import wallfinder.lab.peer.Profiler;
import wallfinder.lab.peer.ServerSide;
import wallfinder.lab.peer.Watch;
import wallfinder.lab.peer.WatchSubject;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.lab.session.RunContext;
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
    private static final Duration PING_INTERVAL = Duration.ofSeconds(2);

    /// The start of a JVM on a busy host.
    private static final Duration START_MAX = Duration.ofSeconds(60);

    /// The last readings, on a busy host.
    private static final Duration END_MAX = Duration.ofSeconds(20);

    private static final Duration PONG_MAX = Duration.ofSeconds(10);

    private static final Duration SERVED_LOOK = Duration.ofMillis(100);

    /// A step of a clock that is smaller does not matter: samples are this far apart.
    private static final double JUMP_NANOS_MIN = 100e6;

    private final AgentProcess agent;
    private final Runnable end;
    private final OutputStream out;
    private final Conversation conversation;
    private final Interruption stopped = new Interruption();
    private final Progress progress;
    private final @Nullable WatchSubject subject;

    /// Two pings at once would measure each other.
    private final Object pinging = new Object();

    /// The first watch begins before the first measurement, so that a mistake ends the command.
    private boolean begun;

    private boolean lost;

    private RemoteWatch(
            AgentProcess agent,
            Runnable end,
            Conversation conversation,
            @Nullable WatchSubject subject,
            Progress progress) {
        this.end = end;
        this.subject = subject;
        this.agent = agent;
        this.out = agent.process().getOutputStream();
        this.conversation = conversation;
        this.progress = progress;
    }

    /// Connects to the host, copies this program there if it is missing, and begins to watch.
    ///
    /// @param home where this program is installed
    /// @param version of this program
    /// @throws UsageException if there is no such service
    /// @throws EnvironmentException if the host, or the service there, does not allow it
    public static RemoteWatch start(
            SshTarget target, WatchSubject subject, Path home, String version, Progress progress) {
        SshLink link = SshLink.open(target, RemoteProgram.QUESTIONS);
        try {
            RemoteProgram program = RemoteCommand.copied(link, ProgramFolder.of(home), progress);
            AgentProcess agent = new AgentProcess.BySsh(link, program.start("agent"));
            return start(agent, link::close, subject, version, progress);
        } catch (RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    /// The same, of a pod. The agent is in another pod, on the same node.
    ///
    /// @throws EnvironmentException if there is no such pod, or the cluster does not allow it
    public static RemoteWatch start(KubernetesPod pod, String version, Progress progress) {
        KubernetesPod.Found found = pod.find();
        KubernetesJob job = KubernetesJob.watcher(pod, found, version, progress::say);
        try {
            return start(
                    job.agents().getFirst(),
                    job::close,
                    new WatchSubject.OfPod(pod.name(), found.uid()),
                    version,
                    progress);
        } catch (RuntimeException | Error e) {
            job.close();
            throw e;
        }
    }

    private static RemoteWatch start(
            AgentProcess agent,
            Runnable end,
            WatchSubject subject,
            String version,
            Progress progress) {
        RemoteWatch watch = greeted(agent, end, subject, version, progress);
        Message.Watching watching = watch.next();
        if (watching == null) {
            throw watch.ended("the agent on %s did not begin to watch".formatted(agent.where()));
        }
        progress.say(
                "watching %s on %s (%s)"
                        .formatted(watching.described(), watching.peer().host(), agent.where()));
        watch.begun = true;
        watch.pingAlways();
        return watch;
    }

    /// The same, of services that the agent starts. It watches nothing yet.
    ///
    /// @param end ends the agent
    static RemoteWatch ofServices(
            AgentProcess agent, Runnable end, String version, Progress progress) {
        RemoteWatch watch = greeted(agent, end, null, version, progress);
        watch.pingAlways();
        return watch;
    }

    private static RemoteWatch greeted(
            AgentProcess agent,
            Runnable end,
            @Nullable WatchSubject subject,
            String version,
            Progress progress) {
        InputStream in = new BufferedInputStream(agent.process().getInputStream());
        Conversation conversation = new Conversation(in);
        conversation.start();
        RemoteWatch watch = new RemoteWatch(agent, end, conversation, subject, progress);
        watch.greet(version);
        return watch;
    }

    private void pingAlways() {
        Thread.ofPlatform().daemon().name("pings").start(this::keepPinging);
    }

    /// Starts services, and waits until they are ready.
    ///
    /// @param stop polled; true ends the waiting
    /// @return how long the start took, in nanoseconds
    /// @throws CancellationException if `stop` ended the waiting
    long serve(Message.Serve serve, Duration longest, BooleanSupplier stop) {
        conversation.renewServices();
        send(serve);
        long end = System.nanoTime() + longest.toNanos();
        while (conversation.served() == null && !conversation.hasEnded()) {
            if (stop.getAsBoolean()) {
                throw new CancellationException();
            }
            Message.Failed failed = conversation.failed();
            if (failed != null) {
                throw failure(failed);
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
        if (served.failed() != null) {
            throw failure(served.failed());
        }
        return served.nanos();
    }

    /// Stops the services. If they do not end, the end of the agent kills them.
    ///
    /// @return what is left; null if the agent does not say it
    Message.@Nullable Closed stopServices(Duration longest) {
        send(new Message.Close());
        Message.Closed closed = conversation.closed(longest);
        if (closed != null && closed.failed() != null) {
            progress.say(
                    "on %s: %s: %s"
                            .formatted(
                                    agent.where(), closed.failed().what(), closed.failed().why()));
        }
        return closed;
    }

    /// An agent in a pod says nothing before it has heard something.
    private void greet(String version) {
        send(new Message.Hello(Message.PROTOCOL, version));
        Message.Hello hello = conversation.hello(START_MAX);
        if (hello == null) {
            throw ended("the agent on %s did not start".formatted(agent.where()));
        }
        Message.Failed differs = Versions.compare(hello, version);
        if (differs != null) {
            throw failure(differs);
        }
    }

    /// @return null if the agent did not begin
    private Message.@Nullable Watching next() {
        conversation.renew();
        send(subject == null ? new Message.WatchServices() : new Message.Watch(subject));
        Message.Watching watching = conversation.watching(START_MAX);
        Message.Failed failed = conversation.failed();
        if (failed != null) {
            throw failure(failed);
        }
        if (watching != null) {
            pings(ClockLine.BATCH);
        }
        return watching;
    }

    @Override
    public void begin() {
        if (!begun) {
            check();
            if (next() == null) {
                throw unwatched();
            }
        }
        begun = false;
    }

    @Override
    public void check() {
        Message.Failed failed = conversation.failed();
        if (failed != null) {
            throw failure(failed);
        }
        if (lost || conversation.hasEnded()) {
            throw unwatched();
        }
    }

    private EnvironmentException unwatched() {
        return new EnvironmentException(
                "the server is not watched any more",
                "the agent on %s ended (%s)".formatted(agent.where(), why()),
                "see there what ended it, and measure again");
    }

    @Override
    public Now now() {
        Peer peer = conversation.peer();
        return new Now(peer.host(), peer.cpus().size(), conversation.recent());
    }

    @Override
    public Profiling profiling(Samples samples) {
        return RemoteProfile.begin(conversation, this::send, samples);
    }

    private RuntimeException failure(Message.Failed failed) {
        String what = "%s (on %s)".formatted(failed.what(), agent.where());
        return failed.usage()
                ? new UsageException(what, failed.why(), failed.todo())
                : new EnvironmentException(what, failed.why(), failed.todo());
    }

    private EnvironmentException ended(String what) {
        return new EnvironmentException(what, why(), agent.ifNotStarted());
    }

    private void send(Message message) {
        try {
            message.send(out);
        } catch (IOException e) {
            // The conversation finds the end of the agent.
        }
    }

    private void pings(int count) {
        for (int i = 0; i < count && ping(); i++) {
            // One after the other.
        }
    }

    private boolean ping() {
        synchronized (pinging) {
            return conversation.ping(out, PONG_MAX);
        }
    }

    private void keepPinging() {
        while (stopped.pause(PING_INTERVAL)) {
            if (!ping() && conversation.hasEnded()) {
                if (!stopped.isRequested()) {
                    progress.say(
                            "the agent on %s ended (%s): the server is not watched from now on"
                                    .formatted(agent.where(), why()));
                }
                return;
            }
        }
    }

    private String why() {
        return agent.whyEnded(conversation.why());
    }

    @Override
    public Seen await(RunContext context) {
        return end();
    }

    private Seen end() {
        pings(ClockLine.BATCH);
        send(new Message.Stop());
        conversation.awaitEnd(END_MAX);
        Message.Failed failed = conversation.failed();
        if (failed != null) {
            throw failure(failed);
        }
        lost = conversation.isLost();
        List<RoundTrip> trips = conversation.trips();
        if (trips.isEmpty()) {
            throw unwatched();
        }
        return joinedBy(ClockLine.of(trips));
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
                lost ? why() : null);
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
            profiler.at((System.nanoTime() - start) / 1e9);
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
