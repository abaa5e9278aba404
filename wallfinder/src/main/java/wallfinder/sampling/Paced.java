package wallfinder.sampling;

/// A reader that repeats some values, because reading them at every sample costs too much.
interface Paced {
    /// Makes the next read complete, at any cost, because it is the last one.
    void readInFullNext();

    /// Spends the CPU time that it has in advance as fast as the samples come, for a short
    /// measurement.
    default void hurry() {}
}
