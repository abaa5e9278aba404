package wallfinder.synthetic;

/// The states of a connection from the first FIN to its end.
final class TcpClose {
    private final TcpEndpoint endpoint;
    private final Peers peers;
    private final Flights flights;

    TcpClose(TcpEndpoint endpoint) {
        this.endpoint = endpoint;
        peers = endpoint.peers;
        flights = endpoint.flights;
    }

    /// Closes a resting connection.
    ///
    /// @return false if too many connections are active
    boolean close(int slot, long nowNanos) {
        if (!endpoint.begin(
                slot, Peers.FIN_WAIT_1, endpoint.plan.messageTimeoutNanos(), nowNanos)) {
            return false;
        }
        sendFin(slot);
        return true;
    }

    /// Our FIN takes the last number that we send.
    void sendFin(int slot) {
        int last = endpoint.numbers.sendNext(slot) - 1;
        endpoint.out.send(
                slot, Segment.FIN | Segment.ACK, last, endpoint.numbers.receiveNext(slot));
    }

    /// @return false if it acknowledges bytes that were never sent
    boolean acknowledged(int slot, Segment in, long nowNanos) {
        int beyond = in.acknowledgement - endpoint.numbers.sendNext(slot);
        if (beyond == 0) {
            switch (peers.state(slot)) {
                case Peers.FIN_WAIT_1 -> {
                    peers.state(slot, Peers.FIN_WAIT_2);
                    // The peer may take as long to close as to answer.
                    flights.begunNanos(peers.flight(slot), nowNanos);
                }
                case Peers.CLOSING -> closedInOrder(slot);
                case Peers.LAST_ACK -> endpoint.shut(slot, Ending.CLOSED);
                default -> {} // a repeated acknowledgement
            }
        }
        return beyond <= 0;
    }

    private void closedInOrder(int slot) {
        endpoint.rest(slot, Peers.TIME_WAIT);
        endpoint.counts.closedInOrder++;
    }

    /// The peer closes, and all its earlier bytes have arrived.
    void finArrived(int slot, long nowNanos) {
        switch (peers.state(slot)) {
            case Peers.RESTING, Peers.NARROW -> closedByPeer(slot, nowNanos);
            case Peers.ASKING -> endpoint.abort(slot, Ending.CLOSED, nowNanos);
            case Peers.FIN_WAIT_1 -> {
                peers.state(slot, Peers.CLOSING);
                endpoint.acknowledge(slot);
            }
            case Peers.FIN_WAIT_2 -> {
                closedInOrder(slot);
                endpoint.acknowledge(slot);
            }
            default -> {} // a repeated FIN
        }
    }

    private void closedByPeer(int slot, long nowNanos) {
        if (endpoint.begin(slot, Peers.LAST_ACK, endpoint.plan.messageTimeoutNanos(), nowNanos)) {
            sendFin(slot);
        } else {
            endpoint.abort(slot, Ending.CLOSED);
        }
        endpoint.handler.ended(slot, Ending.CLOSED, TcpHandler.NOTHING, nowNanos);
    }
}
