package wallfinder.load;

/// Connections of one thread at work, whatever they are made of.
sealed interface Holder extends AutoCloseable permits Holding, SyntheticHolding {
    /// One look at everything.
    void step(long waitNanosMax);

    /// From now on nothing is opened and no message begins.
    void stop();

    Pauses pauses();

    HeldTally held();

    /// Once nothing is begun any more: what became of each connection.
    void account();

    /// What a connection takes in user space.
    int stateBytes();

    @Override
    void close();
}
