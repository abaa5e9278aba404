package wallfinder.observation;

/// The kinds of failed exchanges, as they are named in `run.json`.
public enum ErrorKind {
    CONNECT_REFUSED("connect-refused"),
    CONNECT_TIMEOUT("connect-timeout"),
    CONNECT_RESET("connect-reset"),
    CONNECT_UNREACHABLE("connect-unreachable"),
    /// Our own side had no free port.
    CONNECT_NO_PORT("connect-no-port"),
    /// Our own side had no free descriptor.
    CONNECT_NO_DESCRIPTOR("connect-no-descriptor"),
    /// Our own side may watch no more descriptors by epoll.
    CONNECT_NO_WATCH("connect-no-watch"),
    /// The listener of a unix socket has no room in its accept queue.
    CONNECT_QUEUE_FULL("connect-queue-full"),
    CONNECT_OTHER("connect-other"),
    /// The server closed before the answer was complete.
    CLOSED("closed"),
    RESET("reset"),
    /// The whole exchange took too long.
    TIMEOUT("timeout"),
    /// No byte of the answer came in time.
    FIRST_BYTE_TIMEOUT("first-byte-timeout"),
    /// Held connections: what came is not what was sent.
    CORRUPTED("corrupted"),
    /// The answer is not HTTP.
    MALFORMED("malformed"),
    /// In an open loop, no connection was free for as long as an exchange may take.
    NO_CONNECTION("no-connection"),
    /// TLS: no handshake with this server, or it closed during one.
    TLS_HANDSHAKE("tls-handshake"),
    /// TLS: the server took the connection, and the handshake did not end in time.
    TLS_TIMEOUT("tls-timeout"),
    /// TLS: the server closed without saying that this was all, before the answer was complete.
    TLS_TRUNCATED("tls-truncated"),
    /// TLS: an alert, or bytes that are no record, after the handshake.
    TLS_FAILED("tls-failed"),
    SEND_FAILED("send-failed"),
    /// A complete answer of 400 to 499 that was not expected.
    STATUS_4XX("status-4xx"),
    /// The same of 500 or more.
    STATUS_5XX("status-5xx"),
    /// The same below 400: a redirect where 200 was expected.
    STATUS_UNEXPECTED("status-unexpected"),
    /// The status was expected, and the body does not contain what was.
    UNEXPECTED_BODY("unexpected-body");

    private final String word;

    ErrorKind(String word) {
        this.word = word;
    }

    /// Of a complete answer whose status was not expected.
    public static ErrorKind ofStatus(int status) {
        return status >= 500 ? STATUS_5XX : status >= 400 ? STATUS_4XX : STATUS_UNEXPECTED;
    }

    /// Whether it is a complete answer that is not good. All others are exchanges without one.
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
