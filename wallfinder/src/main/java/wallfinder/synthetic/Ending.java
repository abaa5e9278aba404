package wallfinder.synthetic;

/// Why a connection ended.
public enum Ending {
    /// Its SYN was answered with a reset.
    REFUSED,
    /// No handshake in time.
    CONNECT_TIMEOUT,
    RESET,
    /// The peer closed.
    CLOSED,
    /// No answer to a message in time.
    TIMEOUT,
    /// Other bytes came than were due, or more.
    CORRUPTED
}
