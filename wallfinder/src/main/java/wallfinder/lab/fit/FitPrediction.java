package wallfinder.lab.fit;

/// Where the smallest limit should be, by what was seen in trials that were OK. What is predicted
/// is tried: this decides how many trials that takes, and nothing else.
final class FitPrediction {
    /// A heap that is a half larger than what lives in it is not collected all the time.
    private static final double HEAP_ROOM = 1.5;

    /// A heap that follows the limit less than this does not follow it.
    private static final double SLOPE_MIN = 0.05;

    private final long step;
    private final double liveBytes;

    /// @param liveBytes of the heap, or `NaN` if there is none that is known
    FitPrediction(long step, double liveBytes) {
        this.step = step;
        this.liveBytes = liveBytes;
    }

    /// What a trial is seen to need: all memory that cannot be given back.
    long peak(FitTrial trial) {
        return roundedUp(trial.life().peak().bytes());
    }

    /// The smallest limit, by two trials with different ones. A heap that is smaller with a smaller
    /// limit needs less of it; that goes on until it is too small for what lives in it.
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

    private long roundedUp(double bytes) {
        return Math.max(step, (long) Math.ceil(bytes / step) * step);
    }
}
