package wallfinder.load;

import wallfinder.linux.Errno;
import wallfinder.observation.ErrorKind;

/// What the errors of sockets are counted as.
final class SocketErrors {
    private SocketErrors() {}

    /// Loads now what names an error: when descriptors have run out, no class can be loaded.
    static void load() {
        ofConnect(0);
        ofAnswer(0);
    }

    static ErrorKind ofConnect(int errno) {
        return switch (Errno.of(errno)) {
            case ECONNREFUSED -> ErrorKind.CONNECT_REFUSED;
            case ETIMEDOUT -> ErrorKind.CONNECT_TIMEOUT;
            case ECONNRESET, ECONNABORTED, EPIPE -> ErrorKind.CONNECT_RESET;
            case ENETUNREACH, EHOSTUNREACH -> ErrorKind.CONNECT_UNREACHABLE;
            case EADDRNOTAVAIL, EADDRINUSE -> ErrorKind.CONNECT_NO_PORT;
            case EMFILE, ENFILE -> ErrorKind.CONNECT_NO_DESCRIPTOR;
            default -> ErrorKind.CONNECT_OTHER;
        };
    }

    static ErrorKind ofAnswer(int errno) {
        return switch (Errno.of(errno)) {
            case ETIMEDOUT -> ErrorKind.TIMEOUT;
            case EPIPE -> ErrorKind.CLOSED;
            default -> ErrorKind.RESET;
        };
    }
}
