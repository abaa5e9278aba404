package wallfinder.synthetic;

/// TCP (RFC 9293) for many connections to one server, on one thread. Packets, time and wire are
/// passed in.
///
/// It omits optional parts: window scaling, timestamps, selective acknowledgements, fast
/// retransmit, delayed acknowledgements, and a queue for segments that arrive too early. The peer
/// sends those again.
public final class Tcp implements Flights.Sleepers, AutoCloseable {
    private final TcpEndpoint endpoint;
    private final Peers peers;
    private final Segment in = new Segment();
    private final Messages messages;
    private final Handshake handshake;
    private final TcpClose closing;

    /// @param peers belongs to the caller, which closes it
    public Tcp(TcpPlan plan, Peers peers, Wire wire, TcpHandler handler, long nowNanos) {
        if (plan.tuples().size() < peers.size()) {
            throw new IllegalArgumentException("more connections than addresses and ports");
        }
        this.peers = peers;
        endpoint = new TcpEndpoint(plan, peers, wire, handler, nowNanos);
        messages = new Messages(endpoint);
        handshake = new Handshake(endpoint, messages);
        closing = new TcpClose(endpoint);
    }

    public TcpCounts counts() {
        return endpoint.counts;
    }

    /// How many connections are active.
    public int underWay() {
        return endpoint.flights.used();
    }

    /// Opens a connection, for the first time or again.
    ///
    /// @return false if too many connections are active: then nothing has happened
    public boolean open(int slot, long nowNanos) {
        if (!peers.gone(slot)) {
            throw new IllegalStateException("connection " + slot + " is not closed");
        }
        return handshake.open(slot, nowNanos);
    }

    /// Sends the next message of a resting connection.
    ///
    /// @param dueNanos when the message was due
    /// @return false if too many connections are active: then nothing has happened
    public boolean send(int slot, long dueNanos, long nowNanos) {
        if (!peers.resting(slot)) {
            throw new IllegalStateException("connection " + slot + " is not resting");
        }
        return messages.send(slot, dueNanos, nowNanos);
    }

    /// Closes a connection: in order if it rests, otherwise with a reset.
    ///
    /// @return false if too many connections are active: then nothing has happened
    public boolean close(int slot, long nowNanos) {
        if (peers.resting(slot)) {
            return closing.close(slot, nowNanos);
        }
        if (!peers.gone(slot)) {
            abort(slot);
        }
        return true;
    }

    /// Resets a connection in any state.
    public void abort(int slot) {
        if (peers.state(slot) == Peers.SYN_SENT) {
            endpoint.shut(slot, null);
        } else if (!peers.gone(slot)) {
            endpoint.abort(slot, peers.ending(slot));
        }
    }

    /// Handles expired timers.
    public void turn(long nowNanos) {
        endpoint.flights.turn(nowNanos, this);
    }

    /// The time during which no timer expires.
    public long waitNanos(long nowNanos) {
        return endpoint.flights.waitNanos(nowNanos);
    }

    @Override
    public long expired(int flight, long nowNanos) {
        int slot = endpoint.flights.slot(flight);
        long timeoutNanos =
                peers.connecting(slot)
                        ? endpoint.plan.connectTimeoutNanos()
                        : endpoint.plan.messageTimeoutNanos();
        long deadline = endpoint.flights.begunNanos(flight) + timeoutNanos;
        if (nowNanos - deadline >= 0) {
            timedOut(slot, nowNanos);
            return Long.MAX_VALUE;
        }
        int state = peers.state(slot);
        boolean acknowledged = state == Peers.ASKING && messages.acknowledged(flight);
        if (acknowledged || state == Peers.FIN_WAIT_2) {
            return deadline;
        }
        if (nowNanos - endpoint.retryNanos(flight) >= 0) {
            endpoint.retried(flight, nowNanos);
            switch (state) {
                case Peers.SYN_SENT, Peers.SYN_RECEIVED -> handshake.sendSyn(slot);
                case Peers.ASKING -> messages.sendAgain(slot, flight);
                default -> closing.sendFin(slot);
            }
        }
        return Math.min(deadline, endpoint.retryNanos(flight));
    }

    private void timedOut(int slot, long nowNanos) {
        switch (peers.state(slot)) {
            case Peers.SYN_SENT, Peers.SYN_RECEIVED ->
                    endpoint.end(slot, Ending.CONNECT_TIMEOUT, nowNanos);
            case Peers.ASKING -> endpoint.abort(slot, Ending.TIMEOUT, nowNanos);
            default -> endpoint.abort(slot, peers.ending(slot));
        }
    }

    public void receive(long packet, int length, long nowNanos) {
        endpoint.counts.packetsIn++;
        switch (in.read(packet, length)) {
            case TCP -> route(nowNanos);
            case FOREIGN -> endpoint.counts.foreign++;
            case DAMAGED -> endpoint.counts.damaged++;
        }
    }

    private void route(long nowNanos) {
        int slot = endpoint.plan.tuples().slot(in, peers.size());
        if (slot < 0) {
            endpoint.counts.strays++;
            refuse();
            return;
        }
        switch (peers.state(slot)) {
            case Peers.UNOPENED, Peers.CLOSED -> refuse();
            case Peers.SYN_SENT -> handshake.arrived(slot, in, nowNanos);
            default -> synchronised(slot, nowNanos);
        }
    }

    /// Answers a segment without a connection (RFC 9293, 3.10.7.1).
    private void refuse() {
        if (in.has(Segment.RST)) {
            return;
        }
        if (in.has(Segment.ACK)) {
            endpoint.out.reply(in, Segment.RST, in.acknowledgement, 0);
        } else {
            endpoint.out.reply(in, Segment.RST | Segment.ACK, 0, in.sequence + in.length());
        }
    }

    /// Takes a segment after both ends have exchanged their first numbers (RFC 9293, 3.10.7.4). A
    /// reset or SYN that may be forged is answered with an acknowledgement (RFC 5961).
    private void synchronised(int slot, long nowNanos) {
        int expected = endpoint.numbers.receiveNext(slot);
        if (!acceptable(expected)) {
            endpoint.counts.duplicates++;
            if (!in.has(Segment.RST)) {
                endpoint.acknowledge(slot);
            }
        } else if (in.has(Segment.RST)) {
            if (in.sequence == expected) {
                reset(slot, nowNanos);
            } else {
                endpoint.acknowledge(slot);
            }
        } else if (in.has(Segment.SYN)) {
            endpoint.acknowledge(slot);
        } else if (in.has(Segment.ACK)) {
            acknowledged(slot, expected, nowNanos);
        }
    }

    /// Whether part of the segment is in the window.
    private boolean acceptable(int expected) {
        int end = in.sequence + in.length();
        boolean begins = !SequenceNumbers.after(in.sequence, expected + Outbound.WINDOW - 1);
        return begins
                && (in.length() == 0
                        ? !SequenceNumbers.after(expected, in.sequence)
                        : SequenceNumbers.after(end, expected));
    }

    private void reset(int slot, long nowNanos) {
        if (peers.connecting(slot)) {
            endpoint.end(slot, Ending.REFUSED, nowNanos);
        } else if (peers.connected(slot)) {
            endpoint.end(slot, Ending.RESET, nowNanos);
        } else {
            endpoint.shut(slot, peers.ending(slot));
        }
    }

    private void acknowledged(int slot, int expected, long nowNanos) {
        if (peers.state(slot) == Peers.SYN_RECEIVED
                && !handshake.acknowledged(slot, in, nowNanos)) {
            return;
        }
        boolean sent =
                peers.connected(slot)
                        ? messages.acknowledged(slot, in, expected, nowNanos)
                        : closing.acknowledged(slot, in, nowNanos);
        if (!sent) {
            endpoint.acknowledge(slot);
        } else if (!peers.gone(slot)) {
            text(slot, expected, nowNanos);
        }
    }

    /// Takes new bytes in order. A segment that arrives too early is acknowledged at once.
    private void text(int slot, int expected, long nowNanos) {
        long sentBefore = endpoint.counts.packetsOut;
        int old = expected - in.sequence;
        if (old < 0) {
            endpoint.counts.ahead += in.length() > 0 ? 1 : 0;
        } else {
            int fresh = in.dataBytes - old;
            if (fresh > 0 && !data(slot, in.data + old, fresh, nowNanos)) {
                return;
            }
            if (peers.state(slot) == Peers.ASKING) {
                messages.settle(slot, nowNanos);
            }
            if (in.has(Segment.FIN) && !peers.gone(slot)) {
                closing.finArrived(slot, nowNanos);
            }
        }
        if (in.length() > 0 && endpoint.counts.packetsOut == sentBefore) {
            endpoint.acknowledge(slot);
        }
    }

    /// @return false if the connection is gone
    private boolean data(int slot, long from, int count, long nowNanos) {
        if (peers.connected(slot)) {
            return messages.take(slot, from, count, nowNanos);
        }
        // The owner has closed and can take no more data (RFC 1122, 4.2.2.13).
        endpoint.abort(slot, peers.ending(slot));
        return false;
    }

    @Override
    public void close() {
        endpoint.close();
    }
}
