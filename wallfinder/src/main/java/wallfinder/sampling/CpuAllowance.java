package wallfinder.sampling;

/// The CPU time that all readers of a measurement may take together: 1 % of a core.
///
/// The first seconds are free. A short measurement needs all its samples, and the first samples are
/// expensive because the code is not compiled yet.
final class CpuAllowance {
    private static final double SHARE = 0.01;
    private static final long FREE_NANOS = 5_000_000_000L;

    /// Saves up this much, for the readings that are expensive and rare.
    private static final long SAVED_NANOS_MAX = 20_000_000;

    private double leftNanos = SAVED_NANOS_MAX;
    private long beforeNanos;
    private double takenBeforeNanos;

    /// @param nowNanos since the start of the measurement
    /// @param takenNanos the CPU time that the readers have taken until now
    /// @return whether they have taken more than they may; the account is then full again
    boolean isExceeded(long nowNanos, double takenNanos) {
        double earned = SHARE * (nowNanos - beforeNanos);
        double took = takenNanos - takenBeforeNanos;
        beforeNanos = nowNanos;
        takenBeforeNanos = takenNanos;
        if (nowNanos < FREE_NANOS) {
            return false;
        }
        leftNanos = Math.min(leftNanos + earned, SAVED_NANOS_MAX) - took;
        boolean exceeded = leftNanos < 0;
        leftNanos = exceeded ? SAVED_NANOS_MAX : leftNanos;
        return exceeded;
    }
}
