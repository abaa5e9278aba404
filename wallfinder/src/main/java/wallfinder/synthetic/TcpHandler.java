package wallfinder.synthetic;

/// Handles the events of connections and supplies their messages. It may call [Tcp] at once.
public interface TcpHandler {
    /// See [#ended].
    long NOTHING = Long.MIN_VALUE;

    /// A connection is established.
    ///
    /// @param begunNanos when it was opened
    void connected(int slot, long begunNanos, long nowNanos);

    /// The address of the current message, valid until the next call.
    long message(int slot);

    /// New bytes have arrived in order.
    ///
    /// @param from position of the first byte in the answer; 0 if no messages are sent
    /// @return whether they are correct; if not, the connection is reset
    boolean take(int slot, int from, long address, int count);

    /// A whole correct answer has arrived.
    ///
    /// @param sentNanos when its message was first sent
    /// @param lateNanos how long after its due time that was
    void answered(int slot, long sentNanos, long lateNanos, long nowNanos);

    /// A connection has ended without being closed from here.
    ///
    /// @param begunNanos when the current handshake or message began, [#NOTHING] without one
    void ended(int slot, Ending why, long begunNanos, long nowNanos);
}
