package wallfinder.observation;

/// What was read of the services while requests were sent one at a time.
///
/// @param answers how many there were in that time
public record Unloaded(long answers, Timeline timeline) {}
