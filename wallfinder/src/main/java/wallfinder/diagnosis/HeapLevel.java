package wallfinder.diagnosis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import wallfinder.observation.JvmFigure;
import wallfinder.observation.Key;
import wallfinder.observation.Observation;
import wallfinder.observation.Series;

/// How full the heap of one JVM is after its collections; `NaN` if the JVM does not report it.
///
/// @param least the smallest use of the heap in the second half of the time in which the JVM lived;
///   in the first half, the heap may still be filling
/// @param most the largest use of the heap
/// @param old the median use of the old generation in the second half. Whatever a full collection
///   cannot free, it moves there.
/// @param requestedShare the share of the second half in which something else than an allocation in
///   the heap had caused the last collection
record HeapLevel(
        Collector of,
        double least,
        double most,
        double max,
        double old,
        double oldMax,
        double requestedShare) {
    /// At least this share is in use after each collection; the rest may be kept for copying.
    private static final double FULL_SHARE = 0.8;

    /// A tool may request a collection now and then.
    private static final double REQUESTED_SHARE_MAX = 0.25;

    static HeapLevel of(Observation observation, Collector of) {
        double[] used = secondHalf(observation, of, JvmFigure.HEAP_USED);
        double[] old = secondHalf(observation, of, JvmFigure.OLD_USED);
        return new HeapLevel(
                of,
                Arrays.stream(used).min().orElse(Double.NaN),
                series(observation, of, JvmFigure.HEAP_USED).map(Series::max).orElse(Double.NaN),
                last(observation, of, JvmFigure.HEAP_MAX),
                old.length == 0
                        ? Double.NaN
                        : Arrays.stream(old).sorted().toArray()[old.length / 2],
                last(observation, of, JvmFigure.OLD_MAX),
                Arrays.stream(secondHalf(observation, of, JvmFigure.REQUESTED))
                        .average()
                        .orElse(Double.NaN));
    }

    private static Optional<Series> series(
            Observation observation, Collector of, JvmFigure figure) {
        Key key = figure.of(of.subject());
        return observation.timeline().find(key, of.end());
    }

    private static double last(Observation observation, Collector of, JvmFigure figure) {
        return series(observation, of, figure).map(Series::last).orElse(Double.NaN);
    }

    private static double[] secondHalf(Observation observation, Collector of, JvmFigure figure) {
        double[] read =
                series(observation, of, figure).map(Series::values).stream()
                        .flatMapToDouble(Arrays::stream)
                        .filter(value -> !Double.isNaN(value))
                        .toArray();
        return Arrays.copyOfRange(read, read.length / 2, read.length);
    }

    boolean known() {
        return !Double.isNaN(least) && max > 0;
    }

    /// The share of the heap that no collection freed.
    double leastShare() {
        return Symptoms.share(least, max);
    }

    /// Each collection left the heap full.
    boolean staysFull() {
        return least >= FULL_SHARE * max;
    }

    /// Collections left the old generation full, and some of them the whole heap, although only
    /// allocations in the heap caused them. What does not fit may be large, so the rest of the heap
    /// may have room.
    boolean runsFull() {
        return old >= FULL_SHARE * oldMax
                && most >= FULL_SHARE * max
                && requestedShare <= REQUESTED_SHARE_MAX;
    }

    /// Empty if the level is not known.
    List<Evidence> evidence(Observation observation) {
        List<Evidence> evidence = new ArrayList<>();
        if (known()) {
            String left =
                    "collections left between %s and %s in a heap of %s"
                            .formatted(
                                    EvidenceFigures.megabytes(least),
                                    EvidenceFigures.megabytes(most),
                                    EvidenceFigures.megabytes(max));
            series(observation, of, JvmFigure.HEAP_USED)
                    .map(s -> EvidenceFigures.level(s, max, left))
                    .ifPresent(evidence::add);
        }
        return evidence;
    }

    /// The level of the old generation.
    Optional<Evidence> ofOldGeneration(Observation observation) {
        return series(observation, of, JvmFigure.OLD_USED)
                .map(s ->
                        EvidenceFigures.level(
                                s,
                                oldMax,
                                "collections left %s in an old generation of %s"
                                        .formatted(
                                                EvidenceFigures.megabytes(old),
                                                EvidenceFigures.megabytes(oldMax))));
    }

    String describe() {
        return "%s held %s after a collection, of a heap of %s"
                .formatted(
                        of.name(),
                        EvidenceFigures.megabytes(least),
                        EvidenceFigures.megabytes(max));
    }
}
