package wallfinder.synthetic;

/// What happened on the way, for one thread. It only grows.
public final class TcpCounts {
    /// Packets that were read.
    public long packetsIn;

    /// Packets that were written.
    public long packetsOut;

    /// Segments that were sent again after a time-out, and probes of a closed window.
    public long retransmissions;

    /// Segments that held nothing new, or nothing in the window.
    public long duplicates;

    /// Segments that came before what is due, and have to come again.
    public long ahead;

    /// Packets whose lengths or checksums were wrong.
    public long damaged;

    /// Packets that are nothing to us.
    public long foreign;

    /// Segments of no connection.
    public long strays;

    /// Connections that were closed from here, and by both ends in order.
    public long parted;

    /// Connections that were reset from here.
    public long aborted;
}
