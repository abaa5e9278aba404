package wallfinder.observation;

/// All that was seen in one measurement: enough to judge it, again and elsewhere.
public record Observation(LoadOutcome load, Timeline timeline, SandboxFacts facts) {}
