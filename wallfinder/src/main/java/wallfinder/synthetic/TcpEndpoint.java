package wallfinder.synthetic;

import org.jspecify.annotations.Nullable;

/// Our end of all connections, shared by the classes of the states: memory, sequence numbers, and
/// ways to answer and to end.
final class TcpEndpoint implements AutoCloseable {
    final TcpPlan plan;
    final Peers peers;
    final Flights flights;
    final SequenceNumbers numbers;
    final Outbound out;
    final TcpHandler handler;
    final TcpCounts counts = new TcpCounts();
    final Rto rto = new Rto();

    /// The largest segment that every peer of this run accepts. All connections lead to one server,
    /// so the smallest offer counts for all.
    int mss;

    TcpEndpoint(TcpPlan plan, Peers peers, Wire wire, TcpHandler handler, long nowNanos) {
        this.plan = plan;
        this.peers = peers;
        this.handler = handler;
        flights = new Flights(plan.underWay(), nowNanos);
        numbers = new SequenceNumbers(peers, flights, plan);
        out = new Outbound(plan, wire, counts);
        mss = plan.mss();
    }

    void acknowledge(int slot) {
        out.send(slot, Segment.ACK, numbers.sendNext(slot), numbers.receiveNext(slot));
    }

    /// Gives a connection a flight.
    ///
    /// @param timeoutNanos of the whole exchange
    /// @return false if none was free
    boolean begin(int slot, int state, long timeoutNanos, long nowNanos) {
        int flight = flights.take(slot, nowNanos);
        if (flight == Flights.NONE) {
            return false;
        }
        peers.flight(slot, flight);
        peers.state(slot, state);
        flights.wake(flight, nowNanos + Math.min(timeoutNanos, rto.nanos(0)));
        return true;
    }

    /// The connection is no longer active.
    void rest(int slot, int state) {
        flights.release(peers.flight(slot));
        peers.state(slot, state);
    }

    /// The connection is gone.
    ///
    /// @param why null if it was closed from here
    void shut(int slot, @Nullable Ending why) {
        if (peers.hasFlight(slot)) {
            flights.release(peers.flight(slot));
        }
        peers.closed(slot, why);
    }

    /// Ends a connection and notifies the handler.
    void end(int slot, Ending why, long nowNanos) {
        long begun = begunNanos(slot);
        shut(slot, why);
        handler.ended(slot, why, begun, nowNanos);
    }

    private long begunNanos(int slot) {
        return peers.hasFlight(slot) ? flights.begunNanos(peers.flight(slot)) : TcpHandler.NOTHING;
    }

    void abort(int slot, @Nullable Ending why) {
        int flags = Segment.RST | Segment.ACK;
        out.send(slot, flags, numbers.sendNext(slot), numbers.receiveNext(slot));
        counts.aborted++;
        shut(slot, why);
    }

    void abort(int slot, Ending why, long nowNanos) {
        long begun = begunNanos(slot);
        abort(slot, why);
        handler.ended(slot, why, begun, nowNanos);
    }

    /// When to send the last segment again.
    long retryNanos(int flight) {
        return flights.baseNanos(flight) + rto.nanos(flights.retries(flight));
    }

    void retried(int flight, long nowNanos) {
        flights.retries(flight, flights.retries(flight) + 1);
        flights.baseNanos(flight, nowNanos);
        counts.retransmissions++;
    }

    @Override
    public void close() {
        out.close();
        flights.close();
    }
}
