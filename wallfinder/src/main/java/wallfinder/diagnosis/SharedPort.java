package wallfinder.diagnosis;

import java.util.Optional;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// A port on which several sockets listen (SO_REUSEPORT), each with a queue of its own. The kernel
/// chooses the socket of a connection by a hash of its addresses, whether its queue is full or not
/// (`reuseport_select_sock`, net/core/sock_reuseport.c).
///
/// @param sockets how many listen
/// @param dropping how many of them dropped handshakes
record SharedPort(String port, long sockets, long dropping) {
    /// A port with more than one socket, some of which dropped handshakes.
    ///
    /// @param ofThePort any series of that port
    static Optional<SharedPort> of(Observation observation, Series ofThePort) {
        long sockets = most(observation, ofThePort, ListenFigure.SOCKETS);
        long dropping = most(observation, ofThePort, ListenFigure.DROPPING);
        return sockets > 1 && dropping > 0
                ? Optional.of(new SharedPort(ofThePort.subject(), sockets, dropping))
                : Optional.empty();
    }

    private static long most(Observation observation, Series ofThePort, ListenFigure figure) {
        return observation
                .timeline()
                .beside(ofThePort, figure)
                .map(s -> Double.isNaN(s.max()) ? 0L : (long) s.max())
                .orElse(0L);
    }

    /// Whether other sockets of the port dropped nothing.
    boolean uneven() {
        return dropping < sockets;
    }

    String says() {
        return "%d of the %d sockets that listen on port %s dropped handshakes"
                .formatted(dropping, sockets, port);
    }

    Advice advice() {
        return new Advice(
                "look at the process that accepts too slowly: ss -ltnp shows the listener of port "
                        + port
                        + " with the full queue",
                "your time");
    }
}
