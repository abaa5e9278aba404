package wallfinder.observation;

/// Everything that was seen in one trial. The diagnosis needs nothing else.
public record Observation(LoadOutcome load, Timeline timeline, SandboxFacts facts) {}
