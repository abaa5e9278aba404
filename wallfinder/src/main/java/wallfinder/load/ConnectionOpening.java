package wallfinder.load;

import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import wallfinder.experiment.HoldSpec;

/// Limits how many connections one thread opens at the same time and per second.
final class ConnectionOpening {
    /// The shortest time for which a failed connection stays closed before it is opened again.
    static final long REOPEN_NANOS = 1_000_000_000L;

    /// The delay of a reopening for which too many other connections are being opened.
    static final long REOPEN_AGAIN_NANOS = 50_000_000L;

    private final OpeningPace batch = new OpeningPace();
    private final ConnectPace pace;
    private final LongSupplier clock;
    private final int connections;
    private final int atOnce;
    private int unopened;
    private int opening;
    private boolean stopped;

    /// @param connections of this thread
    /// @param threads that share the limits of the plan
    ConnectionOpening(HoldSpec.Opening plan, int connections, int threads, LongSupplier clock) {
        this.connections = connections;
        this.clock = clock;
        atOnce = Math.max(1, plan.atOnce() / threads);
        pace = new ConnectPace(plan.perSecond() / threads, clock.getAsLong());
        unopened = connections;
    }

    /// Opens as many connections as the limits allow now.
    ///
    /// @param answered total answers so far
    /// @param opener begins to open a slot, or returns false if it cannot be opened now
    void openMore(long answered, IntPredicate opener) {
        if (unopened == 0) {
            return;
        }
        long most = batch.next(answered);
        for (long i = 0; i < most && unopened > 0 && allows(clock.getAsLong()); i++) {
            if (!opener.test(connections - unopened)) {
                return;
            }
            unopened--;
        }
    }

    boolean allows(long nowNanos) {
        return opens() && pace.allows(nowNanos);
    }

    private boolean opens() {
        return !stopped && opening < atOnce;
    }

    /// How long no connect may begin.
    ///
    /// @param nanosMax upper bound of the result
    long waitNanos(long nowNanos, long nanosMax) {
        return unopened > 0 && opens() ? Math.min(nanosMax, pace.waitNanos(nowNanos)) : nanosMax;
    }

    void begun(long nowNanos) {
        pace.begun(nowNanos);
        opening++;
    }

    /// A connection is established and has its first answer if it sends messages, or has failed
    /// before.
    void arrived() {
        opening--;
    }

    void stop() {
        stopped = true;
    }

    /// Whether each connection has been opened and has arrived.
    boolean complete() {
        return unopened == 0 && opening == 0;
    }
}
