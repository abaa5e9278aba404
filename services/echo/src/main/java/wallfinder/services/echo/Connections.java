package wallfinder.services.echo;

/// The connections of one loop. All is called by the loop's thread.
sealed interface Connections permits RawConnections, VirtualThreads {
    /// A connection was accepted.
    void begin(int fd);

    /// Something has come for a connection, or there is room for what could not be sent.
    void ready(int fd);

    /// Another thread has left something to be done, and has rung the bell.
    void runLate();
}
