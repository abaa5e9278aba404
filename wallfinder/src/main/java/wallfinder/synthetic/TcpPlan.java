package wallfinder.synthetic;

/// How the connections communicate.
///
/// @param messageBytes of each message, all echoed; 0: none is sent, and arriving bytes are counted
/// @param linkBytes longest packet of the link
/// @param underWay how many connections may be active at a time
/// @param secret from which first sequence numbers are made (RFC 6528)
public record TcpPlan(
        Tuples tuples,
        int messageBytes,
        int linkBytes,
        int underWay,
        long connectTimeoutNanos,
        long messageTimeoutNanos,
        long secret) {
    /// A whole message fits into the window of a peer without window scaling.
    public static final int MESSAGE_BYTES_MAX = 65_535;

    private static final int LINK_BYTES_MIN = 576;
    private static final int LINK_BYTES_MAX = 65_535;

    public TcpPlan {
        boolean bytes = messageBytes >= 0 && messageBytes <= MESSAGE_BYTES_MAX;
        boolean link = linkBytes >= LINK_BYTES_MIN && linkBytes <= LINK_BYTES_MAX;
        if (!bytes || !link || underWay < 1) {
            throw new IllegalArgumentException("not a valid plan");
        }
    }

    /// The largest segment that we accept and send.
    int mss() {
        return linkBytes - Segment.IP_BYTES - Segment.TCP_BYTES;
    }
}
