package wallfinder.services.echo;

/// A server that listens. It has begun to accept, and goes on until it is stopped.
interface Server {
    /// On which port; the first of several.
    int port();

    /// Accepts no more, and returns when all that was received is sent back, or in two seconds.
    void stop();
}
