package wallfinder.lab.fit;

import java.util.List;

/// What a limit leaves unused if the heap is full. A start script estimates the memory outside of
/// the heap. With the measured value it can enlarge the heap, or do with a smaller limit.
///
/// @param bytes the least of all trials; negative if the limit is too small for a full heap
/// @param outsideBytes the largest memory outside of the heap in any trial, with a margin
/// @param heapMaxBytes the largest size that the heap may grow to
record FitRemainder(double bytes, double outsideBytes, double heapMaxBytes) {
    /// The memory outside of the heap differs between runs by up to this much.
    static final double MARGIN = 3 * FitLife.MEGABYTE;

    /// @param passes trials at one limit
    static FitRemainder of(List<FitTrial> passes) {
        double bytes = Double.POSITIVE_INFINITY;
        double most = 0;
        double heap = 0;
        for (FitTrial pass : passes) {
            heap = pass.life().heapMaxBytes();
            double committed = pass.life().heapCommittedBytes();
            double outside =
                    pass.life().peak().bytes() - (Double.isNaN(committed) ? heap : committed);
            bytes = Math.min(bytes, pass.limitBytes() - outside - heap);
            most = Math.max(most, outside);
        }
        return new FitRemainder(bytes, most + MARGIN, heap);
    }
}
