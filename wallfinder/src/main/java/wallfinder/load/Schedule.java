package wallfinder.load;

/// The requests of a pacer on a clock: which is due next. Those that came due and could not be sent
/// wait here without being stored, since the pacer knows when they were due.
final class Schedule {
    private final Pacer pacer;
    private long startNanos;
    private long stopNanos = Pacer.NEVER;
    private long number;

    /// Since the start; NEVER before it and after the last one.
    private long nextNanos = Pacer.NEVER;

    Schedule(Pacer pacer) {
        this.pacer = pacer;
    }

    void start(long nowNanos) {
        startNanos = nowNanos;
        nextNanos = pacer.dueNanos(0);
    }

    /// What is due later than this never comes.
    void stop(long nowNanos) {
        stopNanos = nowNanos - startNanos;
        bound();
    }

    /// Whether a request is due and not taken.
    boolean due(long nowNanos) {
        return nextNanos <= nowNanos - startNanos;
    }

    /// Whether any will ever be due.
    boolean more() {
        return nextNanos != Pacer.NEVER;
    }

    /// When the next one is due, if there are [#more].
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

    /// How many have come due and were not taken.
    long waiting(long nowNanos) {
        return more() ? pacer.due(Math.min(stopNanos, nowNanos - startNanos)) - number : 0;
    }

    private void bound() {
        if (nextNanos > stopNanos) {
            nextNanos = Pacer.NEVER;
        }
    }
}
