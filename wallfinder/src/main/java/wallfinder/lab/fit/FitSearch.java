package wallfinder.lab.fit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongFunction;

/// Finds the smallest limit at which a service is OK, in steps, and verifies it by three passes
/// there and three knock-outs one step below.
///
/// After a pass, the search goes down to the predicted limit. After a knock-out, it goes up by a
/// step, and by more if that is not enough. If there are steps between a knock-out and a pass, it
/// continues at the memory that the pass used.
final class FitSearch {
    static final int PASSES = 3;

    /// The most trials one step below, where the service may be knocked out only now and then.
    private static final int BELOW_MAX = 6;

    private static final int TRIALS_MAX = 30;

    private final long step;
    private final FitPrediction prediction;
    private final LongFunction<FitTrial> trying;
    private final TreeMap<Long, List<FitTrial>> tried = new TreeMap<>();
    private int trials;

    /// The knock-outs in a row. Each doubles the distance up to the next limit.
    private int inARow;

    /// @param given earlier trials that count as well
    /// @param trying runs a trial with a limit
    FitSearch(
            long step,
            FitPrediction prediction,
            List<FitTrial> given,
            LongFunction<FitTrial> trying) {
        this.step = step;
        this.prediction = prediction;
        this.trying = trying;
        given.forEach(this::keep);
    }

    private void keep(FitTrial trial) {
        tried.computeIfAbsent(trial.limitBytes(), limit -> new ArrayList<>()).add(trial);
    }

    /// @param first the first limit to try
    void run(long first) {
        long next = first;
        while (next > 0 && trials < TRIALS_MAX) {
            trials++;
            FitTrial trial = trying.apply(next);
            keep(trial);
            inARow = trial.ok() ? 0 : inARow + 1;
            next = next();
        }
    }

    /// The next limit to try, or 0 at the end.
    private long next() {
        long smallest = smallest();
        long below = below();
        if (smallest == 0) {
            return 0; // even the largest limit is too small
        }
        if (smallest - below > step) {
            return below == 0 ? lower(smallest) : between(below, smallest);
        }
        boolean belowDone = below == 0 || knockOuts(below) >= PASSES || count(below) >= BELOW_MAX;
        if (count(smallest) < PASSES && (belowDone || count(smallest) <= knockOuts(below))) {
            return smallest;
        }
        return belowDone ? 0 : below;
    }

    private long lower(long smallest) {
        FitTrial low = tried.getOrDefault(smallest, List.of()).getFirst();
        Map.Entry<Long, List<FitTrial>> high = tried.higherEntry(smallest);
        long predicted =
                high == null
                        ? prediction.peak(low)
                        : prediction.below(low, high.getValue().getFirst());
        long largest = (smallest - 1) / step * step;
        return Math.max(step, Math.min(predicted, largest));
    }

    private long between(long below, long smallest) {
        long middle = below + Math.max(1, (smallest - below) / step / 2) * step;
        if (inARow > 0) {
            long up = step << Math.max(0, Math.min(inARow - 2, 20));
            return Math.min(below + up, middle);
        }
        long predicted = prediction.peak(tried.getOrDefault(smallest, List.of()).getFirst());
        return predicted > below && predicted < smallest ? predicted : middle;
    }

    /// The smallest limit without a knock-out at or above it; 0 if there is none.
    long smallest() {
        return tried.tailMap(below(), false).keySet().stream().findFirst().orElse(0L);
    }

    /// The largest limit with a knock-out; 0 if there is none.
    long below() {
        return tried.descendingMap().entrySet().stream()
                .filter(entry -> entry.getValue().stream().anyMatch(trial -> !trial.ok()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(0L);
    }

    /// Whether the smallest limit passed, and the next smaller one failed, often enough.
    boolean verified() {
        long smallest = smallest();
        return smallest > 0
                && smallest - below() <= step
                && count(smallest) >= PASSES
                && (below() == 0 || knockOuts(below()) >= PASSES);
    }

    List<FitTrial> at(long limit) {
        return List.copyOf(tried.getOrDefault(limit, List.of()));
    }

    /// A knock-out of the most frequent kind at the largest limit that was too small.
    Optional<FitTrial> because() {
        List<FitTrial> knockOuts = at(below()).stream().filter(trial -> !trial.ok()).toList();
        return knockOuts.stream()
                .max(
                        Comparator.comparingLong(one ->
                                knockOuts.stream()
                                        .filter(other -> other.kind() == one.kind())
                                        .count()));
    }

    private int count(long limit) {
        return at(limit).size();
    }

    int knockOuts(long limit) {
        return (int) at(limit).stream().filter(trial -> !trial.ok()).count();
    }
}
