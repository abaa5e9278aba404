package wallfinder.services.echo;

import java.io.IOException;

/// How the server handles its connections.
enum Mode {
    /// A virtual thread for each connection, on the JDK's channels, with only public interfaces.
    PLAIN,
    /// A virtual thread for each connection, on descriptors, carried by the threads that wait for
    /// events.
    LEAN,
    /// No thread for a connection: the threads that wait for events handle it.
    RAW;

    /// Opens a server.
    ///
    /// @throws Unavailable if this host or this JVM does not have what the mode needs
    Server open(ServerPlan plan, Tally tally) throws IOException, Unavailable {
        return switch (this) {
            case PLAIN -> PlainServer.open(plan, tally);
            case LEAN -> Loops.open(plan, tally, VirtualThreads.carried());
            case RAW -> Loops.open(plan, tally, RawConnections::new);
        };
    }

    /// This host or this JVM does not support the mode.
    static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1;

        Unavailable(String why, Throwable cause) {
            super(why, cause);
        }
    }
}
