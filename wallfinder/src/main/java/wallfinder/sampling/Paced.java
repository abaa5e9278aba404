package wallfinder.sampling;

/// A reader that repeats some values for a while because they cost too much for every sample.
interface Paced {
    /// The next read is to be complete, whatever it costs: it is the last one.
    void readInFullNext();
}
