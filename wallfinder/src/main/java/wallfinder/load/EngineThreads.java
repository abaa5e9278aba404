package wallfinder.load;

/// Where and how the engine's threads run.
///
/// @param enter run first on each of them, to enter a namespace for example
/// @param cpus they are pinned to these in turn, or empty: not pinned
@SuppressWarnings("ArrayRecordComponent") // read-only by convention
public record EngineThreads(Runnable enter, int[] cpus, EngineChoice engine) {}
