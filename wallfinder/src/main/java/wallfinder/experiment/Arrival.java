package wallfinder.experiment;

/// When requests are sent.
public sealed interface Arrival {
    /// Each connection sends its next request as soon as the last answer is in.
    record Closed() implements Arrival {}

    /// All connections send at once; the next batch goes when the last answer of this one is in.
    record Lockstep() implements Arrival {}
}
