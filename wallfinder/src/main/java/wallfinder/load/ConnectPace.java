package wallfinder.load;

/// When the next connect of one thread may begin: evenly spaced, or at once.
final class ConnectPace {
    /// What was missed while the thread did something else is caught up, but no more than this.
    private static final long CATCH_UP_NANOS = 10_000_000;

    private final long gapNanos;
    private long nextNanos;

    /// @param perSecond of this thread, or 0: no pace
    ConnectPace(double perSecond, long nowNanos) {
        gapNanos = perSecond > 0 ? Math.max(1, Math.round(1e9 / perSecond)) : 0;
        nextNanos = nowNanos;
    }

    boolean allows(long nowNanos) {
        return gapNanos == 0 || nowNanos - nextNanos >= 0;
    }

    /// How long the next one is not to begin.
    long waitNanos(long nowNanos) {
        return gapNanos == 0 ? 0 : Math.max(0, nextNanos - nowNanos);
    }

    void begun(long nowNanos) {
        if (gapNanos > 0) {
            nextNanos = Math.max(nextNanos, nowNanos - CATCH_UP_NANOS) + gapNanos;
        }
    }
}
