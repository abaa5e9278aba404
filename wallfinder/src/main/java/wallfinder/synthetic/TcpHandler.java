package wallfinder.synthetic;

/// Handles what happens on the connections, and supplies their messages. It may call [Tcp] at once.
public interface TcpHandler {
    /// No time: see [#ended].
    long NOTHING = Long.MIN_VALUE;

    /// A connection stands.
    ///
    /// @param begunNanos when it was opened
    void connected(int slot, long begunNanos, long nowNanos);

    /// Where the message stands that is under way, until the next call.
    long message(int slot);

    /// New bytes came, in order.
    ///
    /// @param from the place of the first of them in the answer; where no messages are sent, 0
    /// @return whether they are right; if not, the connection is reset
    boolean take(int slot, int from, long address, int count);

    /// All of an answer came, and was right.
    ///
    /// @param sentNanos when its message was first sent
    /// @param lateNanos by how much that was after it was due
    void answered(int slot, long sentNanos, long lateNanos, long nowNanos);

    /// A connection ended, and not because it was closed here.
    ///
    /// @param begunNanos since when a handshake or a message was under way; [#NOTHING] if none was
    void ended(int slot, Ending why, long begunNanos, long nowNanos);
}
