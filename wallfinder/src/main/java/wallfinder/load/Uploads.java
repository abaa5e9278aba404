package wallfinder.load;

/// Sends requests with separate bodies: the head first, then the body piece by piece. Each piece
/// waits until the kernel has taken the one before. A body that the server must ask for waits for
/// status 100, but at most a second, because not every server knows it (RFC 9110, section 10.1.1).
final class Uploads {
    static final int PIECE_BYTES_MAX = 1 << 20;
    static final long CONTINUE_NANOS_MAX = 1_000_000_000L;

    private final Engine engine;
    private final Events events;
    private final Deadlines deadlines;

    /// @param events reports what cannot be sent
    Uploads(Engine engine, Events events, Deadlines deadlines) {
        this.engine = engine;
        this.events = events;
        this.deadlines = deadlines;
    }

    void begin(Exchange exchange) {
        exchange.unsentAddress = exchange.bodyAddress;
        exchange.unsentBytes = exchange.bodyLength;
        exchange.awaitsContinue = exchange.expects;
        send(exchange, exchange.requestAddress, exchange.requestLength, !exchange.expects);
    }

    void partSent(Exchange exchange, long nowNanos) {
        exchange.sendingPart = false;
        if (!exchange.awaitsContinue) {
            next(exchange);
            return;
        }
        exchange.continueNanos = nowNanos + CONTINUE_NANOS_MAX;
        if (exchange.continueNanos - exchange.deadlineNanos < 0) {
            deadlines.until(exchange, exchange.continueNanos);
        }
    }

    /// The answer has begun and is not complete.
    void answering(Exchange exchange) {
        if (exchange.awaitsContinue && exchange.parser.continueSeen()) {
            proceed(exchange);
        }
    }

    void proceed(Exchange exchange) {
        exchange.awaitsContinue = false;
        if (!exchange.sendingPart) {
            next(exchange);
        }
    }

    /// Whether the server has had long enough to ask for the body.
    static boolean overdue(Exchange exchange, long nowNanos) {
        return exchange.awaitsContinue
                && !exchange.sendingPart
                && nowNanos - exchange.continueNanos >= 0;
    }

    private void next(Exchange exchange) {
        if (exchange.unsentBytes > 0) {
            int length = (int) Math.min(exchange.unsentBytes, PIECE_BYTES_MAX);
            long address = exchange.unsentAddress;
            exchange.unsentAddress += length;
            exchange.unsentBytes -= length;
            send(exchange, address, length, exchange.unsentBytes > 0);
        }
    }

    private void send(Exchange exchange, long address, int length, boolean more) {
        exchange.sendingPart = true;
        int result = engine.sendPart(exchange.slot, address, length, more);
        if (result < 0) {
            events.sendFailed(exchange.slot, -result);
        }
    }

    /// Whether part of the request is unsent, so that the connection cannot be used again.
    static boolean unfinished(Exchange exchange) {
        return exchange.sendingPart || exchange.unsentBytes > 0;
    }

    /// The connection has closed.
    static void forget(Exchange exchange) {
        exchange.sendingPart = false;
        exchange.awaitsContinue = false;
        exchange.unsentBytes = 0;
    }
}
