package wallfinder.services.echo;

import java.io.IOException;

/// What carries the connections of the server.
enum Mode {
    /// A virtual thread each on the JDK's channels: its public interfaces alone.
    PLAIN,
    /// A virtual thread each on descriptors, carried by the threads that wait for events.
    LEAN,
    /// Nothing: the threads that wait for events do all themselves.
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

    /// The mode cannot be had here.
    static final class Unavailable extends Exception {
        private static final long serialVersionUID = 1;

        Unavailable(String why, Throwable cause) {
            super(why, cause);
        }
    }
}
