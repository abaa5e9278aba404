package wallfinder.load;

/// Holds the connections of one thread, over sockets or synthetic TCP.
sealed interface ConnectionHolder extends AutoCloseable permits SocketHolder, SyntheticHolder {
    /// Handles what has happened or is due.
    void step(long waitNanosMax);

    /// From now on the holder opens no connections and sends no messages.
    void stop();

    /// Counts what became of each connection. Called when nothing begins any more.
    void account();

    @Override
    void close();
}
