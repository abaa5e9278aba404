package wallfinder.synthetic;

/// The sequence numbers of every connection: computed, but for the peer's first one. All messages
/// are equally long and come back whole, so their count tells what was sent and received; where
/// none are sent, only what came is counted.
final class SequenceNumbers {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    /// A connection that is opened anew begins behind all that the one before can have sent, so
    /// that a peer in TIME-WAIT takes it (RFC 9293, 3.10.7.4): 16 lives, then round.
    private static final int LIFE_SHIFT = 28;

    private final Peers peers;
    private final Flights flights;
    private final int messageBytes;
    private final long secret;

    SequenceNumbers(Peers peers, Flights flights, TcpPlan plan) {
        this.peers = peers;
        this.flights = flights;
        messageBytes = plan.messageBytes();
        secret = plan.secret();
    }

    /// Whether one number stands behind another, round the end of all numbers.
    static boolean after(int number, int other) {
        return number - other > 0;
    }

    /// Our first number: a keyed hash of the connection, which stands for its tuple (RFC 6528),
    /// with the life that it is in. The mixing is the finisher of SplitMix64.
    int iss(int slot) {
        long mixed = secret + slot * STEP;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return (int) (mixed ^ mixed >>> 31) + (peers.life(slot) << LIFE_SHIFT);
    }

    /// Where the message begins that is under way, or comes next.
    int message(int slot) {
        return iss(slot) + 1 + peers.progress(slot) * messageBytes;
    }

    /// What we send next.
    int sendNext(int slot) {
        return switch (peers.state(slot)) {
            case Peers.SYN_SENT, Peers.SYN_RECEIVED -> iss(slot) + 1;
            case Peers.RESTING, Peers.NARROW -> message(slot);
            case Peers.ASKING -> message(slot) + flights.sentMax(peers.flight(slot));
            default -> message(slot) + 1;
        };
    }

    /// What we receive next.
    int receiveNext(int slot) {
        int whole = peers.progress(slot) * Math.max(1, messageBytes);
        return peers.irs(slot) + 1 + whole + beyond(slot);
    }

    /// What came beyond whole messages: a part of one, or a FIN.
    private int beyond(int slot) {
        return switch (peers.state(slot)) {
            case Peers.ASKING -> flights.received(peers.flight(slot));
            case Peers.CLOSING, Peers.TIME_WAIT, Peers.LAST_ACK -> 1;
            default -> 0;
        };
    }
}
