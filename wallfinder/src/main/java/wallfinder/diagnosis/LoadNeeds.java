package wallfinder.diagnosis;

/// What a plan needs on both ends.
///
/// @param connections at the same time; 0 if the plan does not say
/// @param perSecond requests a second, `NaN` if each answer triggers the next request
/// @param keepalive false if each request opens a new connection
/// @param lockstep whether all connections open and send at the same time
/// @param clientCloses whether the client closes first, so that its end keeps the TIME_WAIT
/// @param sources the number of addresses that the client connects from
/// @param targets the number of ports that the client connects to
/// @param oneHost whether both ends share the host
/// @param bothWatch whether both ends run as one user and may both use epoll
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
    /// The number of connections that can share one local port.
    double ofOnePort() {
        return (double) sources * targets;
    }

    /// Connections at the same time, or `NaN`.
    double atOnce() {
        return connections > 0 ? connections : Double.NaN;
    }

    /// New connections a second, or `NaN`.
    double opensPerSecond() {
        return keepalive ? Double.NaN : perSecond;
    }

    /// Whether each answer triggers the next request.
    boolean closedLoop() {
        return Double.isNaN(perSecond);
    }

    /// Requests a second; in a closed loop the most that the connections can send, by Little's law.
    ///
    /// @param seconds the time of one request without load
    double requestsPerSecond(double seconds) {
        return closedLoop() ? atOnce() / seconds : perSecond;
    }
}
