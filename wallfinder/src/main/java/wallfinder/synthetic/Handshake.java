package wallfinder.synthetic;

/// The handshake, from the first SYN to an established connection.
final class Handshake {
    /// The segment size of a peer that sends no option (RFC 9293, 3.7.1).
    private static final int MSS_DEFAULT = 536;

    /// A smaller offer would make us send tiny segments.
    private static final int MSS_MIN = 64;

    private final TcpEndpoint endpoint;
    private final Peers peers;
    private final Flights flights;
    private final Messages messages;

    Handshake(TcpEndpoint endpoint, Messages messages) {
        this.endpoint = endpoint;
        this.messages = messages;
        peers = endpoint.peers;
        flights = endpoint.flights;
    }

    /// @return false if too many connections are active
    boolean open(int slot, long nowNanos) {
        int before = peers.state(slot);
        if (!endpoint.begin(slot, Peers.SYN_SENT, endpoint.plan.connectTimeoutNanos(), nowNanos)) {
            return false;
        }
        if (before != Peers.UNOPENED) {
            peers.nextLife(slot);
        }
        sendSyn(slot);
        return true;
    }

    void sendSyn(int slot) {
        int iss = endpoint.numbers.iss(slot);
        if (peers.state(slot) == Peers.SYN_SENT) {
            endpoint.out.send(slot, Segment.SYN, iss, 0);
        } else {
            int both = Segment.SYN | Segment.ACK;
            endpoint.out.send(slot, both, iss, endpoint.numbers.receiveNext(slot));
        }
    }

    /// Takes a segment for a connection that has sent its SYN (RFC 9293, 3.10.7.3). Data on a SYN
    /// is ignored, so the peer sends it again.
    void arrived(int slot, Segment in, long nowNanos) {
        boolean ack = in.has(Segment.ACK);
        if (ack && in.acknowledgement != endpoint.numbers.sendNext(slot)) {
            if (!in.has(Segment.RST)) {
                endpoint.out.send(slot, Segment.RST, in.acknowledgement, 0);
            }
        } else if (in.has(Segment.RST)) {
            if (ack) {
                endpoint.end(slot, Ending.REFUSED, nowNanos);
            }
        } else if (in.has(Segment.SYN)) {
            peers.irs(slot, in.sequence);
            int mss = in.mss == 0 ? MSS_DEFAULT : Math.max(MSS_MIN, in.mss);
            endpoint.mss = Math.min(endpoint.mss, mss);
            if (ack) {
                established(slot, in, nowNanos);
            } else {
                peers.state(slot, Peers.SYN_RECEIVED);
                sendSyn(slot);
            }
        }
    }

    /// Takes an acknowledgement for a connection after a simultaneous open.
    ///
    /// @return whether the connection is established
    boolean acknowledged(int slot, Segment in, long nowNanos) {
        if (in.acknowledgement != endpoint.numbers.sendNext(slot)) {
            endpoint.out.send(slot, Segment.RST, in.acknowledgement, 0);
            return false;
        }
        established(slot, in, nowNanos);
        return true;
    }

    private void established(int slot, Segment in, long nowNanos) {
        int flight = peers.flight(slot);
        long begun = flights.begunNanos(flight);
        boolean once = flights.retries(flight) == 0;
        if (once) {
            endpoint.rto.sample(nowNanos - begun);
        }
        endpoint.rest(slot, messages.stateAfterHandshake(in.window, once));
        long sentBefore = endpoint.counts.packetsOut;
        endpoint.handler.connected(slot, begun, nowNanos);
        if (endpoint.counts.packetsOut == sentBefore) {
            endpoint.acknowledge(slot);
        }
    }
}
