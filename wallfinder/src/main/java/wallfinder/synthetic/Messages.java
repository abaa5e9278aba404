package wallfinder.synthetic;

/// Messages and their answers over established connections, one message of a connection at a time.
///
/// Sending respects the peer's window and a congestion window, which starts anew with each message
/// (RFC 5681, RFC 6928). Bytes not acknowledged in time are sent again. The same timer probes a
/// closed window with one byte.
final class Messages {
    private static final int INITIAL_SEGMENTS = 10;

    private final TcpEndpoint endpoint;
    private final Peers peers;
    private final Flights flights;
    private final int messageBytes;

    Messages(TcpEndpoint endpoint) {
        this.endpoint = endpoint;
        peers = endpoint.peers;
        flights = endpoint.flights;
        messageBytes = endpoint.plan.messageBytes();
    }

    /// The bytes that a message may begin with. A resting connection only keeps whether its peer's
    /// window is smaller than this.
    private int start() {
        return Math.min(messageBytes, INITIAL_SEGMENTS * endpoint.mss);
    }

    private int restingState(int window) {
        return window < start() ? Peers.NARROW : Peers.RESTING;
    }

    /// After a lost SYN the initial window is one segment (RFC 5681, 3.1).
    int stateAfterHandshake(int window, boolean once) {
        return once || messageBytes <= endpoint.mss ? restingState(window) : Peers.NARROW;
    }

    /// Begins a message of a resting connection.
    ///
    /// @return false if too many connections are active
    boolean send(int slot, long dueNanos, long nowNanos) {
        boolean narrow = peers.state(slot) == Peers.NARROW;
        if (!endpoint.begin(slot, Peers.ASKING, endpoint.plan.messageTimeoutNanos(), nowNanos)) {
            return false;
        }
        int flight = peers.flight(slot);
        flights.edge(flight, narrow ? 1 : start());
        flights.cwnd(flight, start());
        flights.ssthresh(flight, Integer.MAX_VALUE);
        long late = (nowNanos - dueNanos) / 1000;
        flights.lateMicros(flight, Math.clamp(late, 0, Integer.MAX_VALUE));
        transmit(slot, flight);
        return true;
    }

    /// Sends what the windows allow. A segment that is neither full nor the last waits while others
    /// are in flight, to avoid silly windows (RFC 9293, 3.8.6.2.1).
    private void transmit(int slot, int flight) {
        int allowed = Math.min(messageBytes, limit(flight));
        int sent = flights.sent(flight);
        while (sent < allowed) {
            int count = Math.min(endpoint.mss, allowed - sent);
            boolean crumb = count < endpoint.mss && sent + count < messageBytes;
            if (crumb && sent > flights.acked(flight)) {
                return;
            }
            sendPiece(slot, flight, sent, count);
            sent += count;
        }
    }

    private int limit(int flight) {
        long congested = (long) flights.acked(flight) + flights.cwnd(flight);
        return (int) Math.min(flights.edge(flight), congested);
    }

    private void sendPiece(int slot, int flight, int from, int count) {
        boolean last = from + count == messageBytes;
        flights.sent(flight, from + count);
        endpoint.out.send(
                slot,
                last ? Segment.ACK | Segment.PSH : Segment.ACK,
                endpoint.numbers.message(slot) + from,
                endpoint.numbers.receiveNext(slot),
                endpoint.handler.message(slot) + from,
                count);
    }

    boolean acknowledged(int flight) {
        return flights.acked(flight) == messageBytes;
    }

    /// Sends again what the peer has not acknowledged, or probes its closed window.
    void sendAgain(int slot, int flight) {
        int acked = flights.acked(flight);
        int outstanding = flights.sentMax(flight) - acked;
        flights.ssthresh(flight, Math.max(outstanding / 2, 2 * endpoint.mss));
        flights.cwnd(flight, endpoint.mss);
        flights.sent(flight, acked);
        if (flights.edge(flight) <= acked) {
            sendPiece(slot, flight, acked, 1);
        } else {
            transmit(slot, flight);
        }
    }

    /// Takes an acknowledgement and its window.
    ///
    /// @param expected the next sequence number to receive
    /// @return false if it acknowledges bytes that were never sent
    boolean acknowledged(int slot, Segment in, int expected, long nowNanos) {
        return peers.state(slot) == Peers.ASKING
                ? whileAsking(slot, in, expected, nowNanos)
                : atRest(slot, in, expected);
    }

    private boolean atRest(int slot, Segment in, int expected) {
        int beyond = in.acknowledgement - endpoint.numbers.message(slot);
        if (beyond == 0 && in.sequence == expected) {
            peers.state(slot, restingState(in.window));
        }
        return beyond <= 0;
    }

    private boolean whileAsking(int slot, Segment in, int expected, long nowNanos) {
        int flight = peers.flight(slot);
        int acked = in.acknowledgement - endpoint.numbers.message(slot);
        int before = flights.acked(flight);
        if (acked > flights.sentMax(flight)) {
            return false;
        }
        if (acked > before) {
            progress(flight, before, acked, nowNanos);
        }
        // If segments overtook each other, the window of the newest one counts.
        if (acked >= before && in.sequence == expected) {
            edge(flight, before, acked + in.window);
        }
        transmit(slot, flight);
        return true;
    }

    /// If a closed window opens, the probed byte is sent again.
    private void edge(int flight, int ackedBefore, int edge) {
        if (flights.edge(flight) <= ackedBefore) {
            flights.sent(flight, flights.acked(flight));
        }
        flights.edge(flight, edge);
    }

    private void progress(int flight, int before, int acked, long nowNanos) {
        if (before == 0 && flights.retries(flight) == 0) {
            endpoint.rto.sample(nowNanos - flights.begunNanos(flight));
        }
        flights.acked(flight, acked);
        if (flights.sent(flight) < acked) {
            flights.sent(flight, acked);
        }
        flights.baseNanos(flight, nowNanos);
        flights.retries(flight, 0);
        int cwnd = flights.cwnd(flight);
        int mss = endpoint.mss;
        boolean slowStart = cwnd < flights.ssthresh(flight);
        int more = slowStart ? Math.min(acked - before, mss) : Math.max(1, mss * mss / cwnd);
        flights.cwnd(flight, Math.min(cwnd + more, TcpPlan.MESSAGE_BYTES_MAX));
    }

    /// Takes bytes that arrived in order.
    ///
    /// @return false if they were wrong: then the connection is gone
    boolean take(int slot, long data, int count, long nowNanos) {
        if (messageBytes == 0) {
            endpoint.handler.take(slot, 0, data, count);
            peers.progress(slot, peers.progress(slot) + count);
            return true;
        }
        boolean asking = peers.state(slot) == Peers.ASKING;
        int flight = asking ? peers.flight(slot) : Flights.NONE;
        int from = asking ? flights.received(flight) : messageBytes;
        if (from + count > messageBytes || !endpoint.handler.take(slot, from, data, count)) {
            endpoint.abort(slot, Ending.CORRUPTED, nowNanos);
            return false;
        }
        flights.received(flight, from + count);
        return true;
    }

    /// Completes the message if it is acknowledged and its whole answer has arrived.
    void settle(int slot, long nowNanos) {
        int flight = peers.flight(slot);
        boolean whole = flights.received(flight) == messageBytes;
        if (!whole || flights.acked(flight) < messageBytes) {
            return;
        }
        long begun = flights.begunNanos(flight);
        long late = flights.lateMicros(flight) * 1000L;
        int window = flights.edge(flight) - messageBytes;
        endpoint.rest(slot, restingState(window));
        peers.progress(slot, peers.progress(slot) + 1);
        endpoint.handler.answered(slot, begun, late, nowNanos);
    }
}
