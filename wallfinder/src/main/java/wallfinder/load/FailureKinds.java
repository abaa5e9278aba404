package wallfinder.load;

import wallfinder.linux.Errno;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;

/// What an errno means, depending on when it came.
final class FailureKinds {
    private FailureKinds() {}

    /// Loads the classes now: no class can be loaded after descriptors have run out.
    static void load() {
        connecting(0);
        answering(0);
    }

    /// Only epoll gives ENOSPC (epoll_ctl(2)). Only unix sockets give EAGAIN and ENOENT: the accept
    /// queue is full, or the service has removed its socket (unix(7)).
    static ErrorKind connecting(int errno) {
        return switch (Errno.of(errno)) {
            case ECONNREFUSED, ENOENT -> ErrorKind.CONNECT_REFUSED;
            case EAGAIN -> ErrorKind.CONNECT_QUEUE_FULL;
            case ETIMEDOUT -> ErrorKind.CONNECT_TIMEOUT;
            case ECONNRESET, ECONNABORTED, EPIPE -> ErrorKind.CONNECT_RESET;
            case ENETUNREACH, EHOSTUNREACH -> ErrorKind.CONNECT_UNREACHABLE;
            case EADDRNOTAVAIL, EADDRINUSE -> ErrorKind.CONNECT_NO_PORT;
            case EMFILE, ENFILE -> ErrorKind.CONNECT_NO_DESCRIPTOR;
            case ENOSPC -> ErrorKind.CONNECT_NO_WATCH;
            default -> ErrorKind.CONNECT_OTHER;
        };
    }

    /// The time-out of an exchange whose request was sent.
    static ErrorKind timeout(Exchange exchange, long nowNanos) {
        boolean whole = nowNanos - exchange.wholeDeadlineNanos >= 0;
        return whole || !exchange.parser.untouched()
                ? ErrorKind.TIMEOUT
                : ErrorKind.FIRST_BYTE_TIMEOUT;
    }

    static ErrorPhase phase(Exchange exchange) {
        if (exchange.state == Exchange.State.CONNECTING) {
            return ErrorPhase.CONNECT;
        }
        return exchange.parser.untouched() ? ErrorPhase.FIRST_BYTE : ErrorPhase.ANSWER;
    }

    static ErrorKind answering(int errno) {
        return switch (Errno.of(errno)) {
            case ETIMEDOUT -> ErrorKind.TIMEOUT;
            case EPIPE -> ErrorKind.CLOSED;
            default -> ErrorKind.RESET;
        };
    }

    /// The time-out of a connection that was not established.
    static ErrorKind unconnected(Engine engine, Exchange exchange) {
        return engine.handshaking(exchange.slot)
                ? ErrorKind.TLS_TIMEOUT
                : ErrorKind.CONNECT_TIMEOUT;
    }

    /// The server closed the connection before the answer was complete.
    static ErrorKind ended(Exchange exchange) {
        return exchange.reset ? ErrorKind.RESET : ErrorKind.CLOSED;
    }

    /// TLS failed. A connection that ends before the first byte of an answer is not truncated.
    static ErrorKind broken(Exchange exchange, ErrorKind kind) {
        boolean nothingCut = kind == ErrorKind.TLS_TRUNCATED && exchange.parser.untouched();
        return nothingCut ? ErrorKind.CLOSED : kind;
    }
}
