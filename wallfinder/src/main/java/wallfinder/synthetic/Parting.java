package wallfinder.synthetic;

/// From the first FIN to the end.
final class Parting {
    private final Line line;
    private final Peers peers;
    private final Flights flights;

    Parting(Line line) {
        this.line = line;
        peers = line.peers;
        flights = line.flights;
    }

    /// Closes a connection at rest.
    ///
    /// @return false if too much is under way
    boolean close(int slot, long nowNanos) {
        if (!line.begin(slot, Peers.FIN_WAIT_1, line.plan.messageTimeoutNanos(), nowNanos)) {
            return false;
        }
        sendFin(slot);
        return true;
    }

    /// Our FIN is the last number that we send.
    private void sendFin(int slot) {
        int last = line.numbers.sendNext(slot) - 1;
        line.out.send(slot, Segment.FIN | Segment.ACK, last, line.numbers.receiveNext(slot));
    }

    /// @return false if it acknowledges what was never sent
    boolean acknowledged(int slot, Segment in, long nowNanos) {
        int beyond = in.acknowledgement - line.numbers.sendNext(slot);
        if (beyond == 0) {
            switch (peers.state(slot)) {
                case Peers.FIN_WAIT_1 -> half(slot, nowNanos);
                case Peers.CLOSING -> parted(slot);
                case Peers.LAST_ACK -> line.shut(slot, Ending.CLOSED);
                default -> {} // it had come before
            }
        }
        return beyond <= 0;
    }

    /// The peer may take as long to close as it may take to answer.
    private void half(int slot, long nowNanos) {
        peers.state(slot, Peers.FIN_WAIT_2);
        flights.begunNanos(peers.flight(slot), nowNanos);
    }

    private void parted(int slot) {
        line.rest(slot, Peers.TIME_WAIT);
        line.counts.parted++;
    }

    /// The peer closes, and all that it sent before has come.
    void finArrived(int slot, long nowNanos) {
        switch (peers.state(slot)) {
            case Peers.RESTING, Peers.NARROW -> closedByPeer(slot, nowNanos);
            case Peers.ASKING -> line.abort(slot, Ending.CLOSED, nowNanos);
            case Peers.FIN_WAIT_1 -> {
                peers.state(slot, Peers.CLOSING);
                line.acknowledge(slot);
            }
            case Peers.FIN_WAIT_2 -> {
                parted(slot);
                line.acknowledge(slot);
            }
            default -> {} // nothing can come after the first one
        }
    }

    private void closedByPeer(int slot, long nowNanos) {
        if (line.begin(slot, Peers.LAST_ACK, line.plan.messageTimeoutNanos(), nowNanos)) {
            sendFin(slot);
        } else {
            line.abort(slot, Ending.CLOSED);
        }
        line.talk.ended(slot, Ending.CLOSED, Talk.NOTHING, nowNanos);
    }

    /// No answer came for a while.
    ///
    /// @return when to look again
    long expired(int slot, int flight, long nowNanos) {
        long deadline = flights.begunNanos(flight) + line.plan.messageTimeoutNanos();
        if (nowNanos - deadline >= 0) {
            line.abort(slot, peers.ending(slot));
            return Long.MAX_VALUE;
        }
        if (peers.state(slot) == Peers.FIN_WAIT_2) {
            return deadline;
        }
        if (nowNanos - line.retryNanos(flight) >= 0) {
            line.retried(flight, nowNanos);
            sendFin(slot);
        }
        return Math.min(deadline, line.retryNanos(flight));
    }
}
