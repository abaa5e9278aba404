package wallfinder.load;

/// When the exchanges of one thread have stood in their states for too long. Of all their deadlines
/// the soonest is known, so that looking at all of them waits for it: with time-outs of seconds
/// that is once in seconds, however many connections there are.
final class Deadlines {
    /// They are looked at this often at least.
    private static final long SWEPT_NANOS_MAX = 1_000_000_000L;

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
