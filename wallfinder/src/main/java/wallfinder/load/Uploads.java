package wallfinder.load;

/// Sends requests whose bodies are apart: the head first, then the body piece by piece, each when
/// the one before is on its way. If the server is to ask for the body, that waits for the answer
/// 100, but no longer than a second, for not every server knows it (RFC 9110, section 10.1.1).
final class Uploads {
    static final int PIECE_BYTES_MAX = 1 << 20;
    static final long CONTINUE_NANOS_MAX = 1_000_000_000L;

    private final Engine engine;

    Uploads(Engine engine) {
        this.engine = engine;
    }

    /// Sends the head.
    ///
    /// @return zero, or minus the errno if it failed at once
    int begin(Exchange exchange) {
        exchange.unsentAddress = exchange.bodyAddress;
        exchange.unsentBytes = exchange.bodyLength;
        exchange.awaitsContinue = exchange.expects;
        exchange.sendingPart = true;
        return engine.sendPart(
                exchange.slot, exchange.requestAddress, exchange.requestLength, !exchange.expects);
    }

    /// A part is on its way.
    int sent(Exchange exchange, long nowNanos) {
        exchange.sendingPart = false;
        exchange.continueNanos = nowNanos + CONTINUE_NANOS_MAX;
        return exchange.awaitsContinue ? 0 : next(exchange);
    }

    /// The server asks for the body.
    int proceed(Exchange exchange) {
        exchange.awaitsContinue = false;
        return exchange.sendingPart ? 0 : next(exchange);
    }

    /// The server has not asked for the body for long enough.
    static boolean overdue(Exchange exchange, long nowNanos) {
        return exchange.awaitsContinue
                && !exchange.sendingPart
                && nowNanos - exchange.continueNanos >= 0;
    }

    private int next(Exchange exchange) {
        if (exchange.unsentBytes == 0) {
            return 0;
        }
        int length = (int) Math.min(exchange.unsentBytes, PIECE_BYTES_MAX);
        long address = exchange.unsentAddress;
        exchange.unsentAddress += length;
        exchange.unsentBytes -= length;
        exchange.sendingPart = true;
        return engine.sendPart(exchange.slot, address, length, exchange.unsentBytes > 0);
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
