package wallfinder.diagnosis;

/// What a plan asks of both ends.
///
/// @param connections at once; 0 if nothing was said
/// @param perSecond requests a second, `NaN` if answers decide when to send
/// @param keepalive false: a connection for each request
/// @param lockstep whether all connections are opened and send at once
/// @param clientCloses whether the client closes connections first, and so keeps them in TIME_WAIT
/// @param sources how many addresses it connects from
/// @param targets to how many ports, each of which all local ports are free for
/// @param oneHost whether both ends share the host
/// @param bothWatch whether both ends run as one user and each may wait by epoll
public record LoadNeeds(
        int connections,
        double perSecond,
        boolean keepalive,
        boolean lockstep,
        boolean clientCloses,
        int sources,
        int targets,
        boolean oneHost,
        boolean bothWatch) {
    /// To one port, by a client that does not wait by epoll.
    public LoadNeeds(
            int connections,
            double perSecond,
            boolean keepalive,
            boolean lockstep,
            boolean clientCloses,
            int sources,
            boolean oneHost) {
        this(connections, perSecond, keepalive, lockstep, clientCloses, sources, 1, oneHost, false);
    }

    /// How many connections one local port may be part of.
    double ofOnePort() {
        return (double) sources * targets;
    }

    /// Connections at once, `NaN` if nothing was said.
    double atOnce() {
        return connections > 0 ? connections : Double.NaN;
    }

    /// New connections a second, `NaN` if not known.
    double opensPerSecond() {
        return keepalive ? Double.NaN : perSecond;
    }

    /// Whether the service is asked as fast as it answers.
    boolean closedLoop() {
        return Double.isNaN(perSecond);
    }

    /// Requests a second, in a closed loop those that its connections could ask for at most: each
    /// waits for its answer, by Little's law.
    ///
    /// @param seconds how long a request takes alone
    double requestsPerSecond(double seconds) {
        return closedLoop() ? atOnce() / seconds : perSecond;
    }
}
