package wallfinder.synthetic;

/// Counts of one thread. They only grow.
public final class TcpCounts {
    /// Packets that were read.
    public long packetsIn;

    /// Packets that were written.
    public long packetsOut;

    /// Segments sent again after a time-out, and probes of a closed window.
    public long retransmissions;

    /// Segments with nothing new, or outside the window.
    public long duplicates;

    /// Segments that arrived too early and must be sent again.
    public long ahead;

    /// Packets with wrong lengths or checksums.
    public long damaged;

    /// Packets that are not for TCP.
    public long foreign;

    /// Segments without a connection.
    public long strays;

    /// Connections closed from here, in order by both ends.
    public long closedInOrder;

    /// Connections reset from here.
    public long aborted;
}
