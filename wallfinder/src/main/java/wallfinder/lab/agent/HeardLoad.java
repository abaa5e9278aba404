package wallfinder.lab.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Arrival;
import wallfinder.load.Probe;
import wallfinder.observation.Caveat;
import wallfinder.observation.LoadOutcome;

/// What an agent has said about its load so far.
final class HeardLoad {
    private final @Nullable Arrival asked;
    private LoadMessage.@Nullable Ready ready;
    private final List<Caveat> caveats = new ArrayList<>();
    private boolean settled;
    private LoadOutcome.@Nullable Driven counted;
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
                counted = fields.outcome(asked);
                beganNanos = began;
                yield last;
            }
            case LoadMessage.Settled _ -> {
                settled = true;
                yield false;
            }
            case LoadMessage.Doubted(Caveat caveat) -> {
                caveats.add(caveat);
                yield false;
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

    /// Whether each held connection has had its first answer, or has failed.
    boolean settled() {
        return settled;
    }

    List<Caveat> caveats() {
        return List.copyOf(caveats);
    }

    /// Null before the first counts.
    LoadOutcome.@Nullable Driven counted() {
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
