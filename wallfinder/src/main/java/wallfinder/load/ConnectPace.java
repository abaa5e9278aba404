package wallfinder.load;

/// Decides when one thread may begin its next connect: at even distances, or at once.
final class ConnectPace {
    /// A thread that was busy makes up for connects that it missed in this time, and no more.
    private static final long CATCH_UP_NANOS = 10_000_000;

    private final long gapNanos;
    private long nextNanos;

    /// @param perSecond rate of this thread, 0 for no pace
    ConnectPace(double perSecond, long nowNanos) {
        gapNanos = perSecond > 0 ? Math.max(1, Math.round(1e9 / perSecond)) : 0;
        nextNanos = nowNanos;
    }

    boolean allows(long nowNanos) {
        return gapNanos == 0 || nowNanos - nextNanos >= 0;
    }

    /// How long no connect may begin.
    long waitNanos(long nowNanos) {
        return gapNanos == 0 ? 0 : Math.max(0, nextNanos - nowNanos);
    }

    void begun(long nowNanos) {
        if (gapNanos > 0) {
            nextNanos = Math.max(nextNanos, nowNanos - CATCH_UP_NANOS) + gapNanos;
        }
    }
}
