package wallfinder.load;

/// Finds exchanges of one thread that have been in a state for too long. The earliest deadline is
/// known, and all exchanges are checked only when it has passed: with time-outs of seconds, this
/// happens once every few seconds, however many connections there are.
final class Deadlines {
    /// How long the server may take to close the connection after announcing it.
    static final long CLOSING_NANOS = 200_000_000L;

    /// The same without an announcement.
    static final long CLOSING_UNANNOUNCED_NANOS = 20_000_000L;

    /// The same after the server's close_notify: some servers then wait until the client closes.
    static final long CLOSING_ENDED_NANOS = 5_000_000L;

    /// The pause after a failed exchange. It doubles with each further failure. A connection fails
    /// at most a thousand times per second.
    static final long BACKOFF_NANOS_MIN = 1_000_000L;

    /// The pause doubles up to this many times: 64 ms.
    static final int BACKOFF_DOUBLINGS_MAX = 6;

    /// All exchanges are checked at least this often.
    private static final long SWEPT_NANOS_MAX = 1_000_000_000L;

    private static final long SWEEP_NANOS = 5_000_000L;
    private static final long SWEEP_BACKING_OFF_NANOS = 1_000_000L;

    private long sweptNanos;

    /// No deadline is earlier than this one.
    private long soonestNanos;

    void until(Exchange exchange, long deadlineNanos) {
        exchange.deadlineNanos = deadlineNanos;
        if (deadlineNanos - soonestNanos < 0) {
            soonestNanos = deadlineNanos;
        }
    }

    /// Sets the deadline of the current state, or that of the whole exchange if it is earlier.
    void within(Exchange exchange, long deadlineNanos) {
        long whole = exchange.wholeDeadlineNanos;
        until(exchange, deadlineNanos - whole < 0 ? deadlineNanos : whole);
    }

    void closing(Exchange exchange, long nowNanos) {
        boolean announced = exchange.parser.closes();
        until(exchange, nowNanos + (announced ? CLOSING_NANOS : CLOSING_UNANNOUNCED_NANOS));
    }

    void ending(Exchange exchange, long nowNanos) {
        until(exchange, nowNanos + CLOSING_ENDED_NANOS);
    }

    void backOff(Exchange exchange, long nowNanos) {
        int doublings = Math.min(exchange.failures++, BACKOFF_DOUBLINGS_MAX);
        until(exchange, nowNanos + (BACKOFF_NANOS_MIN << doublings));
    }

    /// The shortest time between two checks: a pause after a failure is short.
    ///
    /// @param backingOff how many exchanges are in such a pause
    static long sweepNanos(int backingOff) {
        return backingOff > 0 ? SWEEP_BACKING_OFF_NANOS : SWEEP_NANOS;
    }

    /// Expires exchanges whose deadline has passed. Checks at most once in the given time.
    void sweep(Exchanges exchanges, long nowNanos, long everyNanos) {
        if (nowNanos - soonestNanos < 0 || nowNanos - sweptNanos < everyNanos) {
            return;
        }
        sweptNanos = nowNanos;
        soonestNanos = nowNanos + SWEPT_NANOS_MAX;
        for (int slot = 0; slot < exchanges.size(); slot++) {
            Exchange exchange = exchanges.get(slot);
            if (nowNanos - exchange.deadlineNanos >= 0) {
                exchanges.expired(exchange);
            } else if (exchange.deadlineNanos - soonestNanos < 0) {
                soonestNanos = exchange.deadlineNanos;
            }
        }
    }
}
