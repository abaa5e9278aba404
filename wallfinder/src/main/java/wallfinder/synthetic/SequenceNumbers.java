package wallfinder.synthetic;

/// The sequence numbers of all connections. They are computed, except the peer's first one. All
/// messages have equal length and are echoed, so their count gives the bytes sent and received. If
/// no messages are sent, the received bytes are counted.
final class SequenceNumbers {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    /// A reopened connection begins beyond all numbers that the one before can have used, so that a
    /// peer in TIME-WAIT accepts it (RFC 9293, 3.10.7.4). The numbers repeat after 16 lives.
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

    /// Whether one number is after another, modulo 2^32.
    static boolean after(int number, int other) {
        return number - other > 0;
    }

    /// Our first number: a keyed hash of the slot, which represents the tuple (RFC 6528), plus the
    /// life of the connection. The mixing is that of SplitMix64.
    int iss(int slot) {
        long mixed = secret + slot * STEP;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return (int) (mixed ^ mixed >>> 31) + (peers.life(slot) << LIFE_SHIFT);
    }

    /// The first number of the current or next message.
    int message(int slot) {
        return iss(slot) + 1 + peers.progress(slot) * messageBytes;
    }

    /// The next number to send.
    int sendNext(int slot) {
        return switch (peers.state(slot)) {
            case Peers.SYN_SENT, Peers.SYN_RECEIVED -> iss(slot) + 1;
            case Peers.RESTING, Peers.NARROW -> message(slot);
            case Peers.ASKING -> message(slot) + flights.sentMax(peers.flight(slot));
            default -> message(slot) + 1;
        };
    }

    /// The next number to receive.
    int receiveNext(int slot) {
        int whole = peers.progress(slot) * Math.max(1, messageBytes);
        return peers.irs(slot) + 1 + whole + beyond(slot);
    }

    /// What has arrived beyond whole messages: part of one, or a FIN.
    private int beyond(int slot) {
        return switch (peers.state(slot)) {
            case Peers.ASKING -> flights.received(peers.flight(slot));
            case Peers.CLOSING, Peers.TIME_WAIT, Peers.LAST_ACK -> 1;
            default -> 0;
        };
    }
}
