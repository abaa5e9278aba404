package wallfinder.observation;

import org.HdrHistogram.Histogram;

/// What one of several hosts drove of a load.
///
/// @param host its name, with a number if several agents drove there
/// @param perSecond its part of the rate that was asked for; `NaN` without a constant rate
/// @param answered complete answers of any status
/// @param startSkewNanos how much later than planned it began, by the clock of the command's host
/// @param clockBoundNanos how far that may be wrong
/// @param lateNanos as in [LoadOutcome.Loop.Open]; empty in other loops
public record LoadPart(
        String host,
        int connections,
        double perSecond,
        long answered,
        long startSkewNanos,
        long clockBoundNanos,
        LoadOutcome.Generator generator,
        Histogram lateNanos) {}
