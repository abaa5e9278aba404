package wallfinder.lab.agent;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.lab.session.Interruption;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.Probe;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Timeline;
import wallfinder.remote.AgentProcess;

/// One agent that generates a part of a load. Its messages come on a thread of their own, so that
/// no agent waits for another one.
final class RemoteGenerator {
    /// The start of a JVM on a busy host, with several agents.
    private static final Duration START_MAX = Duration.ofSeconds(60);

    private static final Duration PONG_MAX = Duration.ofSeconds(10);
    private static final Duration PING_INTERVAL = Duration.ofSeconds(2);

    /// The requests one at a time, with those that are sent again after a pause.
    private static final Duration ALONE_REST_MAX = Duration.ofSeconds(15);

    /// An agent sends several samples a second, and a pong every two seconds.
    private static final Duration SILENCE_MAX = Duration.ofSeconds(10);

    private final AgentProcess agent;
    private final OutputStream out;
    private final Conversation conversation;
    private final Interruption stopped = new Interruption();

    private RemoteGenerator(AgentProcess agent, Conversation conversation) {
        this.agent = agent;
        this.out = agent.process().getOutputStream();
        this.conversation = conversation;
    }

    static RemoteGenerator of(AgentProcess agent) {
        Conversation conversation =
                new Conversation(new BufferedInputStream(agent.process().getInputStream()));
        conversation.start();
        return new RemoteGenerator(agent, conversation);
    }

    /// @throws EnvironmentException if the agent did not start, or is of another version
    void greet(String version) {
        // An agent in a pod says nothing before it has heard something.
        send(new Message.Hello(Message.PROTOCOL, version));
        Message.Hello hello = conversation.hello(START_MAX);
        if (hello == null) {
            throw new EnvironmentException(
                    "the agent on %s did not start".formatted(where()),
                    why(),
                    agent.ifNotStarted());
        }
        Message.Failed differs = Versions.compare(hello, version);
        if (differs != null) {
            throw failure(differs);
        }
        Thread.ofPlatform().daemon().name("pings").start(this::keepPinging);
    }

    private void keepPinging() {
        while (stopped.pause(PING_INTERVAL) && !conversation.isOver()) {
            ping();
        }
    }

    /// Pings of two threads would measure each other.
    private synchronized boolean ping() {
        return conversation.ping(out, PONG_MAX);
    }

    void compareClocks() {
        for (int i = 0; i < ClockLine.BATCH && ping(); i++) {
            // One after the other.
        }
    }

    ClockLine clocks() {
        return ClockLine.of(conversation.trips());
    }

    private RuntimeException failure(Message.Failed failed) {
        String what = "%s (on %s)".formatted(failed.what(), where());
        return failed.usage()
                ? new UsageException(what, failed.why(), failed.todo())
                : new EnvironmentException(what, failed.why(), failed.todo());
    }

    void prepare(LoadMessage.Plan plan) {
        conversation.renewLoad(plan.http().arrival());
        send(plan);
    }

    /// @throws UsageException if the plan cannot be used there
    /// @throws EnvironmentException if the host does not allow it, or the agent is gone
    LoadMessage.Ready awaitReady() {
        conversation.await(START_MAX, () -> conversation.load().ready() != null);
        Message.Failed failed = conversation.failed();
        if (failed != null) {
            throw failure(failed);
        }
        LoadMessage.Ready ready = ready();
        if (ready == null) {
            throw new EnvironmentException(
                    "the agent on %s did not prepare the load".formatted(where()),
                    why(),
                    "see whether that host has memory and CPU time left, and try again");
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

    /// Whether its whole result is here.
    boolean isComplete() {
        return conversation.isOver() && !conversation.isLost();
    }

    /// Why it will send no more although its load has not ended; null if it is well.
    @Nullable String lostBecause() {
        if (!conversation.isLost()) {
            return null;
        }
        Message.Failed failed = conversation.failed();
        if (failed != null) {
            return failed.what() + ": " + failed.why();
        }
        if (conversation.isOver()) {
            return why();
        }
        Duration silence = Duration.ofNanos(System.nanoTime() - conversation.heardNanos());
        return silence.compareTo(SILENCE_MAX) > 0
                ? "it has sent nothing for %d s".formatted(silence.toSeconds())
                : null;
    }

    void awaitEnd(Duration time) {
        conversation.awaitEnd(time);
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

    /// What it counted, or null if it was lost before it had sent anything.
    LoadOutcome.@Nullable Requests counted() {
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

    private String why() {
        return agent.whyEnded(conversation.why());
    }

    private void send(LoadMessage message) {
        send(new Message.OfLoad(message));
    }

    private void send(Message message) {
        try {
            message.send(out);
        } catch (IOException e) {
            // The conversation finds the end of the agent.
        }
    }

    void stop() {
        stopped.request();
    }
}
