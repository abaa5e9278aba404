package wallfinder.load;

/// When the exchanges of one thread have stood in their states for too long. Of all their deadlines
/// the soonest is known, so that looking at all of them waits for it: with time-outs of seconds
/// that is once in seconds, however many connections there are.
final class Deadlines {
    /// How long the server may take to close, if it said that it would.
    static final long PARTING_NANOS = 200_000_000L;

    /// The same if it did not say so.
    static final long PARTING_UNANNOUNCED_NANOS = 20_000_000L;

    /// The pause after a failed exchange, doubled with each further one: a connection fails at most
    /// a thousand times a second.
    static final long BACKOFF_NANOS_MIN = 1_000_000L;

    /// The pause doubles up to this many times: 64 ms.
    static final int BACKOFF_DOUBLINGS_MAX = 6;

    /// They are looked at this often at least.
    private static final long SWEPT_NANOS_MAX = 1_000_000_000L;

    private static final long SWEEP_NANOS = 5_000_000L;
    private static final long SWEEP_BACKING_OFF_NANOS = 1_000_000L;

    private long sweptNanos;

    /// No deadline is before this one.
    private long soonestNanos;

    /// The state may last until then.
    void until(Exchange exchange, long deadlineNanos) {
        exchange.deadlineNanos = deadlineNanos;
        if (deadlineNanos - soonestNanos < 0) {
            soonestNanos = deadlineNanos;
        }
    }

    /// The state may last until then, or as long as the whole exchange may.
    void within(Exchange exchange, long deadlineNanos) {
        long whole = exchange.wholeDeadlineNanos;
        until(exchange, deadlineNanos - whole < 0 ? deadlineNanos : whole);
    }

    /// The server may take its time to close.
    void parting(Exchange exchange, long nowNanos) {
        boolean announced = exchange.parser.closes();
        until(exchange, nowNanos + (announced ? PARTING_NANOS : PARTING_UNANNOUNCED_NANOS));
    }

    /// Counts one more failure.
    void backOff(Exchange exchange, long nowNanos) {
        int doublings = Math.min(exchange.failures++, BACKOFF_DOUBLINGS_MAX);
        until(exchange, nowNanos + (BACKOFF_NANOS_MIN << doublings));
    }

    /// How often they are looked at, at most: a pause after a failure is short.
    ///
    /// @param backingOff how many exchanges make such a pause
    static long sweepNanos(int backingOff) {
        return backingOff > 0 ? SWEEP_BACKING_OFF_NANOS : SWEEP_NANOS;
    }

    /// Tells those that have come, if any may have, but not oftener than every so many nanoseconds.
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
