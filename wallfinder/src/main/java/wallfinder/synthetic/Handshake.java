package wallfinder.synthetic;

/// From the first SYN to a connection that stands.
final class Handshake {
    /// What a peer takes that does not tell (RFC 9293, 3.7.1).
    private static final int MSS_DEFAULT = 536;

    /// A peer that told less would have us send crumbs.
    private static final int MSS_MIN = 64;

    private final Line line;
    private final Peers peers;
    private final Flights flights;
    private final Messages messages;

    Handshake(Line line, Messages messages) {
        this.line = line;
        this.messages = messages;
        peers = line.peers;
        flights = line.flights;
    }

    /// @return false if too much is under way
    boolean open(int slot, long nowNanos) {
        int before = peers.state(slot);
        if (!line.begin(slot, Peers.SYN_SENT, line.plan.connectTimeoutNanos(), nowNanos)) {
            return false;
        }
        if (before != Peers.UNOPENED) {
            peers.nextLife(slot);
        }
        sendSyn(slot);
        return true;
    }

    private void sendSyn(int slot) {
        int iss = line.numbers.iss(slot);
        if (peers.state(slot) == Peers.SYN_SENT) {
            line.out.send(slot, Segment.SYN, iss, 0);
        } else {
            int both = Segment.SYN | Segment.ACK;
            line.out.send(slot, both, iss, line.numbers.receiveNext(slot));
        }
    }

    /// A segment for a connection that has sent its SYN (RFC 9293, 3.10.7.3). Data on a SYN come
    /// again.
    void arrived(int slot, Segment in, long nowNanos) {
        boolean ack = in.has(Segment.ACK);
        if (ack && in.acknowledgement != line.numbers.sendNext(slot)) {
            if (!in.has(Segment.RST)) {
                line.out.send(slot, Segment.RST, in.acknowledgement, 0);
            }
        } else if (in.has(Segment.RST)) {
            if (ack) {
                line.end(slot, Ending.REFUSED, nowNanos);
            }
        } else if (in.has(Segment.SYN)) {
            peers.irs(slot, in.sequence);
            line.mss(in.mss == 0 ? MSS_DEFAULT : Math.max(MSS_MIN, in.mss));
            if (ack) {
                stands(slot, in, nowNanos);
            } else {
                peers.state(slot, Peers.SYN_RECEIVED);
                sendSyn(slot);
            }
        }
    }

    /// An acknowledgement for a connection whose SYN met one of the peer's.
    ///
    /// @return whether it stands
    boolean acknowledged(int slot, Segment in, long nowNanos) {
        if (in.acknowledgement != line.numbers.sendNext(slot)) {
            line.out.send(slot, Segment.RST, in.acknowledgement, 0);
            return false;
        }
        stands(slot, in, nowNanos);
        return true;
    }

    private void stands(int slot, Segment in, long nowNanos) {
        int flight = peers.flight(slot);
        long begun = flights.begunNanos(flight);
        boolean once = flights.retries(flight) == 0;
        if (once) {
            line.rto.sample(nowNanos - begun);
        }
        line.rest(slot, messages.stateAfterHandshake(in.window, once));
        long sentBefore = line.counts.packetsOut;
        line.talk.connected(slot, begun, nowNanos);
        if (line.counts.packetsOut == sentBefore) {
            line.acknowledge(slot);
        }
    }

    /// No answer came for a while.
    ///
    /// @return when to look again
    long expired(int slot, int flight, long nowNanos) {
        long deadline = flights.begunNanos(flight) + line.plan.connectTimeoutNanos();
        if (nowNanos - deadline >= 0) {
            line.end(slot, Ending.CONNECT_TIMEOUT, nowNanos);
            return Long.MAX_VALUE;
        }
        if (nowNanos - line.retryNanos(flight) >= 0) {
            line.retried(flight, nowNanos);
            sendSyn(slot);
        }
        return Math.min(deadline, line.retryNanos(flight));
    }
}
