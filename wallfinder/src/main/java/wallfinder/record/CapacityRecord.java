package wallfinder.record;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The highest rate at which a service holds an objective.
///
/// @param objective as the user wrote it
/// @param ratePerSecond by all trials near it; without pairs the highest rate that held
/// @param low the lower bound of its interval, see [#isStep]; zero if there are too few pairs
/// @param high the upper bound; infinite if there are too few pairs, or the generator was the limit
/// @param pairs in their order
/// @param disturbed trials that do not count: twenty times as many slow answers as expected, or
///   more
/// @param freshServices whether each pair had services of its own
/// @param wall the trial whose headline is the wall directly above, or null if none was found
/// @param predicted the highest rate by the Universal Scalability Law, from the trials before the
///   pairs; null if the law does not fit them
public record CapacityRecord(
        String objective,
        double ratePerSecond,
        double low,
        double high,
        List<Pair> pairs,
        List<Integer> disturbed,
        boolean freshServices,
        @Nullable Integer wall,
        @Nullable Double predicted) {
    public CapacityRecord {
        pairs = List.copyOf(pairs);
        disturbed = List.copyOf(disturbed);
    }

    /// Two trials on both sides of the border, one after the other.
    public record Pair(Side below, Side above) {
        private Pair after(int trials) {
            return new Pair(below.after(trials), above.after(trials));
        }
    }

    /// @param trial its index in the run
    /// @param held whether it held the objective
    public record Side(int trial, double perSecond, boolean held) {
        private Side after(int trials) {
            return new Side(trial + trials, perSecond, held);
        }
    }

    /// The capacity of services of which no rate holds the objective.
    public CapacityRecord none() {
        return new CapacityRecord(
                objective, 0, 0, 0, List.of(), List.of(), freshServices, null, null);
    }

    /// The same, in a run with this many trials before it.
    public CapacityRecord after(int trials) {
        return new CapacityRecord(
                objective,
                ratePerSecond,
                low,
                high,
                pairs.stream().map(pair -> pair.after(trials)).toList(),
                disturbed.stream().map(trial -> trial + trials).toList(),
                freshServices,
                wall == null ? null : wall + trials,
                predicted);
    }

    /// The index of the last trial that it names.
    public int lastTrial() {
        IntStream trials = sides().mapToInt(Side::trial);
        return IntStream.concat(trials, IntStream.of(wall == null ? 0 : wall)).max().orElse(0);
    }

    public long heldBelow() {
        return pairs.stream().filter(pair -> pair.below().held()).count();
    }

    public long missedAbove() {
        return pairs.stream().filter(pair -> !pair.above().held()).count();
    }

    /// Whether the generator was the limit, so that only a lower bound of the capacity is known.
    public boolean isLowerBound() {
        return pairs.isEmpty();
    }

    /// Whether no trial was near the border. Its interval then lies between two trials of the
    /// pairs: the highest rate that held the objective, and the lowest that missed it.
    public boolean isStep() {
        return sides().filter(Side::held).mapToDouble(Side::perSecond).max().orElse(0) == low
                && sides().filter(side -> !side.held()).mapToDouble(Side::perSecond).min().orElse(0)
                        == high;
    }

    private Stream<Side> sides() {
        return pairs.stream().flatMap(pair -> Stream.of(pair.below(), pair.above()));
    }

    /// Whether most pairs held the objective below the border and missed it above.
    public boolean confirmed() {
        return 2 * heldBelow() > pairs.size() && 2 * missedAbove() > pairs.size();
    }
}
