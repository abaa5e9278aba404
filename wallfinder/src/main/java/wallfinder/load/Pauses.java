package wallfinder.load;

/// The times in which one engine thread neither waited for the network nor looked at it: the
/// stretches between two waits, and what a wait took longer than it was to. A request that comes
/// due, or an answer that comes, is late by the pause it falls into.
///
/// It lives on the stamps that the engine takes anyway. What holds the thread up while it waits for
/// something that then happens cannot be told from the waiting.
final class Pauses {
    /// A shorter pause is work: to send and to read at many connections takes its time.
    static final long LONG_NANOS = 1_000_000;

    private long sinceNanos;
    private long dueNanos;
    private boolean stopped;

    /// How many pauses lasted [#LONG_NANOS] or longer, and their sum.
    long count;

    long sumNanos;

    /// The longest pause, however short.
    long maxNanos;

    /// Counts from here on.
    void start(long nanos) {
        sinceNanos = nanos;
        count = 0;
        sumNanos = 0;
        maxNanos = 0;
    }

    /// A wait begins.
    ///
    /// @param nanosMax how long it may take
    void waiting(long nanos, long nanosMax) {
        add(nanos - sinceNanos);
        dueNanos = nanos + nanosMax;
    }

    /// A wait has ended.
    ///
    /// @param happened whether it was ended by something that happened
    void woken(long nanos, boolean happened) {
        sinceNanos = happened ? nanos : Math.min(nanos, dueNanos);
    }

    /// What comes now is not counted.
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
