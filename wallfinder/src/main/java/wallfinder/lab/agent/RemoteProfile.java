package wallfinder.lab.agent;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import wallfinder.observation.Caveat;
import wallfinder.observation.CpuWindow;
import wallfinder.observation.Doubt;
import wallfinder.profiling.CpuProfiling.Samples;
import wallfinder.profiling.Profiling;

/// A profile that an agent makes of the services it watches. If the agent dies, the profile is lost
/// and the measurement goes on.
final class RemoteProfile implements Profiling {
    /// A JVM that collects garbage loads the profiler late.
    private static final Duration BEGIN_MAX = Duration.ofSeconds(60);

    /// The agent reads the recordings of all JVMs, and sends what they have.
    private static final Duration END_MAX = Duration.ofSeconds(60);

    private static final String SILENT = "the agent on the other host does not answer";

    private final Conversation conversation;
    private final Consumer<Message> send;
    private boolean ended;

    private RemoteProfile(Conversation conversation, Consumer<Message> send) {
        this.conversation = conversation;
        this.send = send;
    }

    /// Begins it, and waits until all JVMs are sampled.
    static RemoteProfile begin(Conversation conversation, Consumer<Message> send, Samples samples) {
        RemoteProfile profile = new RemoteProfile(conversation, send);
        conversation.renewProfile();
        profile.send(new ProfileMessage.BeginProfile(samples));
        conversation.await(BEGIN_MAX, () -> conversation.profile().begun() != null);
        return profile;
    }

    private void send(ProfileMessage message) {
        send.accept(new Message.OfProfile(message));
    }

    @Override
    public List<Caveat> doubts() {
        synchronized (conversation) {
            ProfileMessage.ProfileBegun begun = conversation.profile().begun();
            return begun == null ? List.of(Doubt.NO_STACKS.caveat(SILENT)) : begun.doubts();
        }
    }

    @Override
    public boolean anyJvm() {
        synchronized (conversation) {
            ProfileMessage.ProfileBegun begun = conversation.profile().begun();
            return begun != null && begun.anyJvm();
        }
    }

    @Override
    public void beginWindow() {
        send(new ProfileMessage.BeginWindow());
    }

    @Override
    public void endWindow(double answered) {
        send(new ProfileMessage.EndWindow(answered));
    }

    @Override
    public List<CpuWindow> stop() throws IOException {
        end();
        synchronized (conversation) {
            ProfileMessage.ProfileEnded end = conversation.profile().ended();
            if (end == null) {
                throw new IOException(SILENT);
            }
            if (end.lost() != null) {
                throw new IOException(end.lost());
            }
            return conversation.profile().windows();
        }
    }

    private void end() {
        if (!ended) {
            ended = true;
            send(new ProfileMessage.EndProfile());
            conversation.await(END_MAX, () -> conversation.profile().ended() != null);
        }
    }

    @Override
    public void close() {
        end();
    }
}
