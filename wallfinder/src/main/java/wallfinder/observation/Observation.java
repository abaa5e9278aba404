package wallfinder.observation;

import org.jspecify.annotations.Nullable;

/// Everything that was seen in one trial. The diagnosis needs nothing else.
///
/// @param unloaded the same service without load, or null if nobody looked
public record Observation(
        LoadOutcome load, Timeline timeline, SandboxFacts facts, @Nullable Unloaded unloaded) {
    public Observation(LoadOutcome load, Timeline timeline, SandboxFacts facts) {
        this(load, timeline, facts, null);
    }
}
