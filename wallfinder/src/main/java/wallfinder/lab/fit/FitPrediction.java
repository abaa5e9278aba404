package wallfinder.lab.fit;

/// Predicts the smallest limit from trials that were OK. It affects only how many trials a search
/// takes, because trials verify it.
///
/// @param step the distance between two limits, in bytes
/// @param liveBytes the live data in the heap, or `NaN` if unknown
record FitPrediction(long step, double liveBytes) {
    /// A heap 1.5 times as large as its live data is not collected all the time.
    private static final double HEAP_ROOM = 1.5;

    /// Below this ratio the heap size does not depend on the limit.
    private static final double SLOPE_MIN = 0.05;

    /// The memory of a trial that cannot be reclaimed, rounded up to a step.
    long peak(FitTrial trial) {
        return Math.max(step, (long) Math.ceil(trial.life().peak().bytes() / step) * step);
    }

    /// The smallest limit, predicted from two trials with different limits. If the heap shrinks
    /// with the limit, the limit can shrink until the heap is too small for its live data.
    long below(FitTrial low, FitTrial high) {
        double heap = low.life().heapMaxBytes();
        double slope = (high.life().heapMaxBytes() - heap) / (high.limitBytes() - low.limitBytes());
        double committed = low.life().heapCommittedBytes();
        double outside = low.life().peak().bytes() - committed;
        if (!(liveBytes > 0) || !(slope > SLOPE_MIN) || !(outside > 0)) {
            return peak(low);
        }
        long limit = low.limitBytes();
        while (limit > step) {
            long next = limit - step;
            double left = heap - slope * (low.limitBytes() - next);
            boolean fits = outside + Math.min(left, committed) <= next;
            if (!fits || left < HEAP_ROOM * liveBytes) {
                break;
            }
            limit = next;
        }
        return limit;
    }
}
