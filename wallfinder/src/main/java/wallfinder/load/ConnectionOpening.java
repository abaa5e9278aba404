package wallfinder.load;

import java.util.function.LongSupplier;
import wallfinder.experiment.HoldSpec;

/// Limits how many connections one thread opens at the same time and per second.
final class ConnectionOpening {
    /// How long a failed connection stays closed at least before it is opened again.
    static final long REOPEN_NANOS = 1_000_000_000L;

    /// The delay of a reopening for which too many other connections are being opened.
    static final long REOPEN_AGAIN_NANOS = 50_000_000L;

    interface Opener {
        /// @return false if the connection cannot be opened now
        boolean open(int slot);
    }

    private final OpeningPace batch = new OpeningPace();
    private final ConnectPace pace;
    private final LongSupplier clock;
    private final int connections;
    private final int atOnce;
    private int unopened;
    private int onTheirWay;
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
    void goOn(long answered, Opener opener) {
        if (unopened == 0) {
            return;
        }
        long most = batch.next(answered);
        for (long i = 0; i < most && unopened > 0 && allows(clock.getAsLong()); i++) {
            if (!opener.open(connections - unopened)) {
                return;
            }
            unopened--;
        }
    }

    /// Whether a connection may be opened, for the first time or again.
    boolean allows(long nowNanos) {
        return opens() && pace.allows(nowNanos);
    }

    private boolean opens() {
        return !stopped && onTheirWay < atOnce;
    }

    /// How long no connect may begin.
    ///
    /// @param nanosMax upper bound of the result
    long waitNanos(long nowNanos, long nanosMax) {
        return unopened > 0 && opens() ? Math.min(nanosMax, pace.waitNanos(nowNanos)) : nanosMax;
    }

    /// A connect has begun.
    void begun(long nowNanos) {
        pace.begun(nowNanos);
        onTheirWay++;
    }

    /// A connection is established and has its first answer if it sends messages, or has failed
    /// before.
    void arrived() {
        onTheirWay--;
    }

    void stop() {
        stopped = true;
    }

    /// Whether each connection has been opened and has arrived.
    boolean complete() {
        return unopened == 0 && onTheirWay == 0;
    }
}
