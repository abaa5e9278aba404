package wallfinder.load;

/// The times in which an engine thread neither waited for the network nor looked at it: between two
/// waits, and after the end of an overlong wait. A pause delays requests that come due and answers
/// that arrive during it.
///
/// It uses the clock readings that the engine takes anyway. A delay of the thread during a wait
/// that an event ends cannot be distinguished from the wait.
final class Pauses {
    /// A shorter pause is work: serving many connections takes time.
    static final long LONG_NANOS = 1_000_000;

    private long sinceNanos;
    private long dueNanos;
    private boolean stopped;

    /// How many pauses lasted [#LONG_NANOS] or longer, and their sum.
    long count;

    long sumNanos;

    /// The longest pause, however short.
    long maxNanos;

    void start(long nanos) {
        sinceNanos = nanos;
        count = 0;
        sumNanos = 0;
        maxNanos = 0;
    }

    /// A wait begins.
    ///
    /// @param nanosMax its longest time
    void waiting(long nanos, long nanosMax) {
        add(nanos - sinceNanos);
        dueNanos = nanos + nanosMax;
    }

    /// A wait has ended.
    ///
    /// @param happened whether an event ended it
    void woken(long nanos, boolean happened) {
        sinceNanos = happened ? nanos : Math.min(nanos, dueNanos);
    }

    /// Counts nothing from now on.
    void stop() {
        stopped = true;
    }

    private void add(long nanos) {
        if (stopped) {
            return;
        }
        if (nanos > maxNanos) {
            maxNanos = nanos;
        }
        if (nanos >= LONG_NANOS) {
            count++;
            sumNanos += nanos;
        }
    }
}
