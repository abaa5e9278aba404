package wallfinder.load;

import java.util.function.LongSupplier;
import wallfinder.experiment.HoldSpec;

/// How one thread comes to its connections: so many at once, and a second, as the plan lets it.
final class ConnectionOpening {
    /// How long a failed connection stays closed at least before it is opened again.
    static final long REOPEN_NANOS = 1_000_000_000L;

    /// The delay of a reopening for which too many other connections are being opened.
    static final long REOPEN_AGAIN_NANOS = 50_000_000L;

    /// Begins to connect.
    interface Opener {
        /// @return false if that cannot be done now
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
    /// @param threads that share what the plan allows
    ConnectionOpening(HoldSpec.Opening plan, int connections, int threads, LongSupplier clock) {
        this.connections = connections;
        this.clock = clock;
        atOnce = Math.max(1, plan.atOnce() / threads);
        pace = new ConnectPace(plan.perSecond() / threads, clock.getAsLong());
        unopened = connections;
    }

    /// Opens what may be opened now.
    ///
    /// @param answered how many answers have come so far
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

    /// How long no connect is to begin.
    ///
    /// @param nanosMax the most that is told
    long waitNanos(long nowNanos, long nanosMax) {
        return unopened > 0 && opens() ? Math.min(nanosMax, pace.waitNanos(nowNanos)) : nanosMax;
    }

    /// One is on its way.
    void begun(long nowNanos) {
        pace.begun(nowNanos);
        onTheirWay++;
    }

    /// One stands and has what it was to have first, or has failed before.
    void arrived() {
        onTheirWay--;
    }

    void stop() {
        stopped = true;
    }

    /// Whether each has been opened, and has arrived.
    boolean complete() {
        return unopened == 0 && onTheirWay == 0;
    }
}
