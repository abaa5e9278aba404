package wallfinder.lab.agent;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.load.Probe;
import wallfinder.observation.LoadOutcome;

/// What an agent has said about its load so far.
final class HeardLoad {
    private final @Nullable Arrival asked;
    private LoadMessage.@Nullable Ready ready;
    private LoadOutcome.@Nullable Requests counted;
    private @Nullable Probe alone;
    private long beganNanos;

    /// @param asked what the agent's plan says; null if it has got none
    HeardLoad(@Nullable Arrival asked) {
        this.asked = asked;
    }

    /// @return whether the load has ended
    boolean hear(LoadMessage message) throws IOException {
        return switch (message) {
            case LoadMessage.Ready begun -> {
                ready = begun;
                yield false;
            }
            case LoadMessage.Part(boolean last, long began, LoadMessage.Fields fields) -> {
                if (asked == null) {
                    throw new IOException("nobody asked this agent for a load");
                }
                counted = fields.requests(asked);
                beganNanos = began;
                yield last;
            }
            // They may come before the first load.
            case LoadMessage.AnsweredAlone(Probe probe) -> {
                alone = probe;
                yield false;
            }
            default ->
                    throw new IOException("no agent sends a " + message.getClass().getSimpleName());
        };
    }

    LoadMessage.@Nullable Ready ready() {
        return ready;
    }

    /// Null if no second has passed.
    LoadOutcome.@Nullable Requests counted() {
        return counted;
    }

    /// By the agent's [System#nanoTime]; unknown before anything was counted.
    long beganNanos() {
        return beganNanos;
    }

    @Nullable Probe alone() {
        return alone;
    }

    /// The agent is asked to send requests one at a time.
    void askAlone() {
        alone = null;
    }
}
