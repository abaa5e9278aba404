package wallfinder.services.echo;

/// The connections of one loop. Only the loop's thread calls these methods.
sealed interface Connections permits RawConnections, VirtualThreads {
    /// Called when a connection was accepted.
    void begin(int fd);

    /// Called when a connection can be read, or can be written after it could not.
    void ready(int fd);

    /// Called when another thread has queued work and rung the bell.
    void runLate();
}
