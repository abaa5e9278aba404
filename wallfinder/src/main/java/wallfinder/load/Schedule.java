package wallfinder.load;

/// The requests of a pacer on a clock. Requests that are due and cannot be sent wait here without
/// being stored, because the pacer knows when they were due.
final class Schedule {
    private final Pacer pacer;
    private long startNanos;
    private long stopNanos = Pacer.NEVER;
    private long number;

    /// Since the start. NEVER before the start and after the last request.
    private long nextNanos = Pacer.NEVER;

    Schedule(Pacer pacer) {
        this.pacer = pacer;
    }

    void start(long nowNanos) {
        startNanos = nowNanos;
        nextNanos = pacer.dueNanos(0);
    }

    /// Requests due later than this never come.
    void stop(long nowNanos) {
        stopNanos = nowNanos - startNanos;
        bound();
    }

    /// Whether a request is due and has not been taken.
    boolean due(long nowNanos) {
        return nextNanos <= nowNanos - startNanos;
    }

    boolean more() {
        return nextNanos != Pacer.NEVER;
    }

    /// When the next request is due, if there are [#more].
    long nextNanos() {
        return startNanos + nextNanos;
    }

    /// Takes the next request.
    ///
    /// @return when it was due
    long take() {
        long due = nextNanos();
        nextNanos = pacer.dueNanos(++number);
        bound();
        return due;
    }

    /// How many requests are due and have not been taken.
    long waiting(long nowNanos) {
        return more() ? pacer.due(Math.min(stopNanos, nowNanos - startNanos)) - number : 0;
    }

    private void bound() {
        if (nextNanos > stopNanos) {
            nextNanos = Pacer.NEVER;
        }
    }
}
