package wallfinder.load;

/// Holds the connections of one thread: over sockets, or over synthetic TCP.
sealed interface ConnectionHolder extends AutoCloseable permits SocketHolder, SyntheticHolder {
    /// One look at everything.
    void step(long waitNanosMax);

    /// From now on nothing is opened and no message begins.
    void stop();

    /// Once nothing is begun any more: what became of each connection.
    void account();

    @Override
    void close();
}
