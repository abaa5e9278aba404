package wallfinder.synthetic;

/// Why a connection ended.
public enum Ending {
    /// A reset answered the SYN.
    REFUSED,
    /// The handshake did not complete in time.
    CONNECT_TIMEOUT,
    RESET,
    /// The peer closed.
    CLOSED,
    /// A message got no answer in time.
    TIMEOUT,
    /// Wrong or additional bytes arrived.
    CORRUPTED
}
