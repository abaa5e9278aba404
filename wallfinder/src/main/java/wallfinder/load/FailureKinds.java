package wallfinder.load;

import wallfinder.linux.Errno;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;

/// What an error number means, by when it came.
final class FailureKinds {
    private FailureKinds() {}

    /// Loads now what names an error: when descriptors have run out, no class can be loaded.
    static void load() {
        connecting(0);
        answering(0);
    }

    /// ENOSPC comes from epoll alone (epoll_ctl(2)). EAGAIN and ENOENT come from unix sockets
    /// alone: the accept queue is full, or the service has taken its socket away (unix(7)).
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

    /// Of an exchange that was sent.
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

    /// A connection did not stand in time.
    static ErrorKind unconnected(Engine engine, Exchange exchange) {
        return engine.shaking(exchange.slot) ? ErrorKind.TLS_TIMEOUT : ErrorKind.CONNECT_TIMEOUT;
    }

    /// The server closed before the answer was complete.
    static ErrorKind ended(Exchange exchange) {
        return exchange.reset ? ErrorKind.RESET : ErrorKind.CLOSED;
    }

    /// TLS failed. A connection that ends before any byte of an answer has cut nothing off.
    static ErrorKind broken(Exchange exchange, ErrorKind kind) {
        boolean nothingCut = kind == ErrorKind.TLS_TRUNCATED && exchange.parser.untouched();
        return nothingCut ? ErrorKind.CLOSED : kind;
    }
}
