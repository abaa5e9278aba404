package wallfinder.lab.agent;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.remote.AgentProcess;

/// The other end of the talk with an agent on another host. Its messages come on a thread of their
/// own.
final class RemoteAgent {
    /// The start of a JVM on a busy host, with several agents.
    static final Duration START_MAX = Duration.ofSeconds(60);

    static final Duration PING_INTERVAL = Duration.ofSeconds(2);

    private static final Duration PONG_MAX = Duration.ofSeconds(10);

    private final AgentProcess process;
    private final OutputStream out;
    private final Conversation conversation;

    RemoteAgent(AgentProcess process) {
        this.process = process;
        this.out = process.process().getOutputStream();
        this.conversation =
                new Conversation(new BufferedInputStream(process.process().getInputStream()));
        conversation.start();
    }

    /// What the agent has said so far.
    Conversation conversation() {
        return conversation;
    }

    /// An agent in a pod says nothing before it has heard something.
    ///
    /// @throws EnvironmentException if the agent did not start, or is of another version
    void greet(String version) {
        send(new Message.Hello(Message.PROTOCOL, version));
        Message.Hello hello = conversation.hello(START_MAX);
        if (hello == null) {
            throw notStarted("the agent on %s did not start".formatted(where()));
        }
        Message.Failed differs = Versions.compare(hello, version);
        if (differs != null) {
            throw failure(differs);
        }
    }

    EnvironmentException notStarted(String what) {
        return new EnvironmentException(what, why(), process.ifNotStarted());
    }

    void send(Message message) {
        try {
            message.send(out);
        } catch (IOException e) {
            // The conversation finds the end of the agent.
        }
    }

    /// Pings of two threads would measure each other.
    synchronized boolean ping() {
        return conversation.ping(out, PONG_MAX);
    }

    void compareClocks() {
        for (int i = 0; i < ClockLine.BATCH && ping(); i++) {
            // One after the other.
        }
    }

    RuntimeException failure(Message.Failed failed) {
        String what = "%s (on %s)".formatted(failed.what(), where());
        return failed.usage()
                ? new UsageException(what, failed.why(), failed.todo())
                : new EnvironmentException(what, failed.why(), failed.todo());
    }

    /// The host, as the user named it.
    String where() {
        return process.where();
    }

    /// Why it ended.
    String why() {
        return process.whyEnded(conversation.why());
    }
}
