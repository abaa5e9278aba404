package wallfinder.lab.agent;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.Interruption;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.Probe;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Timeline;
import wallfinder.remote.AgentProcess;

/// One agent that generates a part of a load. Its messages come on a thread of their own, so that
/// no agent waits for another one.
final class RemoteGenerator {
    /// The requests one at a time, with those that are sent again after a pause.
    private static final Duration ALONE_REST_MAX = Duration.ofSeconds(15);

    /// An agent sends several samples a second, and a pong every two seconds.
    private static final Duration SILENCE_MAX = Duration.ofSeconds(10);

    private final RemoteAgent agent;
    private final Conversation conversation;
    private final Interruption stopped = new Interruption();
    private @Nullable String lostBecause;

    RemoteGenerator(AgentProcess process) {
        agent = new RemoteAgent(process);
        conversation = agent.conversation();
    }

    /// @throws EnvironmentException if the agent did not start, or is of another version
    void greet(String version) {
        agent.greet(version);
        Thread.ofPlatform().daemon().name("pings").start(this::keepPinging);
    }

    private void keepPinging() {
        while (stopped.pause(RemoteAgent.PING_INTERVAL) && !conversation.hasEnded()) {
            agent.ping();
        }
    }

    /// @throws EnvironmentException if it has not answered since the load was prepared
    void compareClocks() {
        agent.compareClocks();
        if (conversation.trips().isEmpty()) {
            throw lost();
        }
    }

    ClockLine clocks() {
        return ClockLine.of(conversation.trips());
    }

    /// @param job a [LoadMessage.Plan] or a [LoadMessage.Hold]
    /// @param arrival what it asks for
    void prepare(LoadMessage job, Arrival arrival) {
        conversation.renewLoad(arrival);
        send(job);
    }

    /// @throws UsageException if the plan cannot be used there
    /// @throws EnvironmentException if the host does not allow it, or the agent is gone
    LoadMessage.Ready awaitReady() {
        conversation.await(RemoteAgent.START_MAX, () -> conversation.load().ready() != null);
        Message.Failed failed = conversation.takeFailed();
        if (failed != null) {
            throw agent.failure(failed);
        }
        LoadMessage.Ready ready = ready();
        if (ready == null) {
            throw lost();
        }
        return ready;
    }

    private LoadMessage.@Nullable Ready ready() {
        synchronized (conversation) {
            return conversation.load().ready();
        }
    }

    void begin(long nanos) {
        send(new LoadMessage.Begin(clocks().theirsNanos(nanos)));
    }

    void finish(Duration drain) {
        send(new LoadMessage.Finish(drain.toNanos()));
    }

    /// The host, as the user named it.
    String where() {
        return agent.where();
    }

    boolean hasLastSample() {
        return conversation.hasLastSample();
    }

    /// Whether its whole result is here.
    boolean isComplete() {
        return conversation.isOver() && !conversation.isLost();
    }

    /// Whether it will send no more although its load has not ended, or sends its result so late
    /// that the next load could take it for its own. One that is lost stays lost: the others have
    /// ended because of it.
    boolean isLost() {
        return lostBecause() != null;
    }

    /// Why it is lost; null if it is well.
    @Nullable String lostBecause() {
        if (lostBecause == null && conversation.isLost()) {
            lostBecause = whyLost();
        }
        return lostBecause;
    }

    private @Nullable String whyLost() {
        Message.Failed failed = conversation.failed();
        if (failed != null) {
            return failed.what() + ": " + failed.why();
        }
        if (conversation.hasEnded()) {
            return agent.why();
        }
        Duration silence = Duration.ofNanos(System.nanoTime() - conversation.heardNanos());
        return silence.compareTo(SILENCE_MAX) > 0
                ? "it has sent nothing for %d s".formatted(silence.toSeconds())
                : null;
    }

    EnvironmentException lost() {
        String why = lostBecause();
        return new EnvironmentException(
                "the generator on %s is lost".formatted(where()),
                why == null ? "it does not answer in time" : why,
                "see whether that host has memory and CPU time left, and try again");
    }

    /// Waits for its whole result.
    void awaitEnd(Duration time) {
        conversation.awaitEnd(time);
        if (!isLost() && !conversation.isOver()) {
            lostBecause = "its last result did not come in time";
        }
    }

    /// Sends a few requests one at a time, for the latency without load.
    ///
    /// @return null if none could be sent
    @Nullable Probe alone(LoadMessage.Plan plan, Duration longest) {
        synchronized (conversation) {
            conversation.load().askAlone();
        }
        send(new LoadMessage.Alone(plan, longest.toNanos()));
        conversation.await(longest.plus(ALONE_REST_MAX), () -> conversation.load().alone() != null);
        synchronized (conversation) {
            return conversation.load().alone();
        }
    }

    /// Whether each connection that it holds has had its first answer, or has failed.
    boolean isSettled() {
        synchronized (conversation) {
            return conversation.load().settled();
        }
    }

    /// Its own doubts about what it measured.
    List<Caveat> caveats() {
        synchronized (conversation) {
            return conversation.load().caveats();
        }
    }

    /// What it counted, or null if it was lost before it had sent anything.
    LoadOutcome.@Nullable Driven counted() {
        synchronized (conversation) {
            return conversation.load().counted();
        }
    }

    /// When its last message came.
    long heardNanos() {
        return conversation.heardNanos();
    }

    /// Its good answers until its last sample.
    double goodSoFar() {
        return conversation.latest(LoadFigure.GOOD);
    }

    /// Its answers until its last sample.
    double answersSoFar() {
        return conversation.latest(LoadFigure.REQUESTS);
    }

    /// Its open connections in its last sample.
    double connectionsNow() {
        return conversation.latest(LoadFigure.CONNECTIONS);
    }

    long beganNanos() {
        synchronized (conversation) {
            return conversation.load().beganNanos();
        }
    }

    /// Its samples, at our instants; empty before the first.
    Timeline timeline(ClockLine clocks) {
        synchronized (conversation) {
            if (!conversation.hasSamples()) {
                return new Timeline(new long[0], List.of());
            }
            long start = conversation.startNanos();
            Timeline theirs = conversation.timeline();
            long[] nanos = new long[theirs.nanos().length];
            for (int i = 0; i < nanos.length; i++) {
                nanos[i] = clocks.oursNanos(start + theirs.nanos()[i]);
            }
            return new Timeline(nanos, theirs.series());
        }
    }

    private void send(LoadMessage message) {
        agent.send(new Message.OfLoad(message));
    }

    void stop() {
        stopped.request();
    }
}
