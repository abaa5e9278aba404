package wallfinder.lab.fit;

import java.util.List;

/// What is not used of a limit. A start script that adds up from parts what is outside of the heap
/// may be told what that came to as a whole, and make a larger heap of the rest, or live with less.
///
/// @param bytes what all trials left
/// @param outsideBytes what any of them had outside of the heap at the most
/// @param heapMaxBytes what the heap might grow to
record FitRemainder(double bytes, double outsideBytes, double heapMaxBytes) {
    /// What is outside differs from run to run by so much.
    private static final double MARGIN = 3 * FitLife.MEGABYTE;

    /// @param passes at one limit
    static FitRemainder of(List<FitTrial> passes) {
        double bytes = Double.POSITIVE_INFINITY;
        double outside = 0;
        double heap = 0;
        for (FitTrial pass : passes) {
            double peak = pass.life().peak().bytes();
            heap = pass.life().heapMaxBytes();
            bytes = Math.min(bytes, pass.limitBytes() - peak);
            outside = Math.max(outside, peak - heap);
        }
        return new FitRemainder(bytes, outside + MARGIN, heap);
    }
}
