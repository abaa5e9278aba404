package wallfinder.services.echo;

/// A server that accepts connections until it is stopped.
interface Server {
    /// The port, or the first of several ports.
    int port();

    /// Stops accepting, and returns when all received messages are answered, but within two
    /// seconds.
    void stop();
}
