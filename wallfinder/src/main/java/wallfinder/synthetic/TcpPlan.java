package wallfinder.synthetic;

/// How the connections talk.
///
/// @param messageBytes of each message, all of which come back; 0: none is sent, and what comes is
///   counted
/// @param linkBytes the longest packet that the link takes
/// @param underWay how many connections may have something under way at a time
/// @param secret what first sequence numbers are made from (RFC 6528)
public record TcpPlan(
        Tuples tuples,
        int messageBytes,
        int linkBytes,
        int underWay,
        long connectTimeoutNanos,
        long messageTimeoutNanos,
        long secret) {
    /// All of a message fits into the sequence numbers that a peer without window scaling takes.
    public static final int MESSAGE_BYTES_MAX = 65_535;

    private static final int LINK_BYTES_MIN = 576;
    private static final int LINK_BYTES_MAX = 65_535;

    public TcpPlan {
        boolean bytes = messageBytes >= 0 && messageBytes <= MESSAGE_BYTES_MAX;
        boolean link = linkBytes >= LINK_BYTES_MIN && linkBytes <= LINK_BYTES_MAX;
        if (!bytes || !link || underWay < 1) {
            throw new IllegalArgumentException("not a plan that can be spoken");
        }
    }

    /// The largest segment that we take, and send.
    int mss() {
        return linkBytes - Segment.IP_BYTES - Segment.TCP_BYTES;
    }
}
