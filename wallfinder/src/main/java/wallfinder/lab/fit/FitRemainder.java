package wallfinder.lab.fit;

import java.util.List;

/// The unused part of a limit. A start script estimates the memory outside of the heap. With the
/// measured value it can enlarge the heap, or do with a smaller limit.
///
/// @param bytes what all trials left unused
/// @param outsideBytes the largest memory outside of the heap in any trial, with a margin
/// @param heapMaxBytes the largest size that the heap may grow to
record FitRemainder(double bytes, double outsideBytes, double heapMaxBytes) {
    /// The memory outside of the heap differs between runs by up to this much.
    static final double MARGIN = 3 * FitLife.MEGABYTE;

    /// @param passes trials at one limit
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
