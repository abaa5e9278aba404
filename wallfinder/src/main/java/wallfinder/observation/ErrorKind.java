package wallfinder.observation;

import java.util.Locale;

/// The kinds of failed exchanges, with the same names as in `run.json`.
public enum ErrorKind {
    CONNECT_REFUSED,
    CONNECT_TIMEOUT,
    CONNECT_RESET,
    CONNECT_UNREACHABLE,
    /// The generator had no free port.
    CONNECT_NO_PORT,
    /// The generator had no free descriptor.
    CONNECT_NO_DESCRIPTOR,
    /// The generator may not watch more descriptors with epoll.
    CONNECT_NO_WATCH,
    /// The accept queue of a unix socket was full.
    CONNECT_QUEUE_FULL,
    CONNECT_OTHER,
    /// The server closed the connection before the answer was complete.
    CLOSED,
    RESET,
    /// The whole exchange took too long.
    TIMEOUT,
    /// The first byte of the answer did not come in time.
    FIRST_BYTE_TIMEOUT,
    /// A held connection returned other bytes than were sent.
    CORRUPTED,
    /// The answer is not HTTP.
    MALFORMED,
    /// Open loop: no connection got free within the timeout of an exchange.
    NO_CONNECTION,
    /// TLS: the handshake failed, or the server closed the connection during it.
    TLS_HANDSHAKE,
    /// TLS: the handshake on an accepted connection did not end in time.
    TLS_TIMEOUT,
    /// TLS: the server closed without close_notify before the answer was complete.
    TLS_TRUNCATED,
    /// TLS: an alert or an invalid record after the handshake.
    TLS_FAILED,
    SEND_FAILED,
    /// An unexpected status of 400 to 499.
    STATUS_4XX,
    /// An unexpected status of 500 or more.
    STATUS_5XX,
    /// An unexpected status below 400, such as a redirect.
    STATUS_UNEXPECTED,
    /// An expected status with a body that does not contain the expected text.
    UNEXPECTED_BODY;

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /// The kind of a complete answer with an unexpected status.
    public static ErrorKind ofStatus(int status) {
        return status >= 500 ? STATUS_5XX : status >= 400 ? STATUS_4XX : STATUS_UNEXPECTED;
    }

    /// Whether the exchange had a complete answer that was not good. All other kinds have none.
    public boolean answer() {
        return switch (this) {
            case STATUS_4XX, STATUS_5XX, STATUS_UNEXPECTED, UNEXPECTED_BODY -> true;
            default -> false;
        };
    }

    /// The key in `run.json`.
    public String word() {
        return word;
    }
}
