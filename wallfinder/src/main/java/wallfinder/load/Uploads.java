package wallfinder.load;

/// Sends requests whose bodies are apart: the head first, then the body piece by piece, each when
/// the one before is on its way. If the server is to ask for the body, that waits for the answer
/// 100, but no longer than a second, for not every server knows it (RFC 9110, section 10.1.1).
final class Uploads {
    static final int PIECE_BYTES_MAX = 1 << 20;
    static final long CONTINUE_NANOS_MAX = 1_000_000_000L;

    private final Engine engine;
    private final Events events;
    private final Deadlines deadlines;

    /// @param events told of what cannot be sent
    Uploads(Engine engine, Events events, Deadlines deadlines) {
        this.engine = engine;
        this.events = events;
        this.deadlines = deadlines;
    }

    /// Sends the head.
    void begin(Exchange exchange) {
        exchange.unsentAddress = exchange.bodyAddress;
        exchange.unsentBytes = exchange.bodyLength;
        exchange.awaitsContinue = exchange.expects;
        send(exchange, exchange.requestAddress, exchange.requestLength, !exchange.expects);
    }

    /// A part is on its way.
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

    /// Something of an answer is there, but not all.
    void answering(Exchange exchange) {
        if (exchange.awaitsContinue && exchange.parser.asksOn()) {
            proceed(exchange);
        }
    }

    /// The body is to be sent now.
    void proceed(Exchange exchange) {
        exchange.awaitsContinue = false;
        if (!exchange.sendingPart) {
            next(exchange);
        }
    }

    /// The server has not asked for the body for long enough.
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

    /// Not all of the request is on its way, so nothing else can be sent on its connection.
    static boolean unfinished(Exchange exchange) {
        return exchange.sendingPart || exchange.unsentBytes > 0;
    }

    /// The connection has gone.
    static void forget(Exchange exchange) {
        exchange.sendingPart = false;
        exchange.awaitsContinue = false;
        exchange.unsentBytes = 0;
    }
}
