package wallfinder.junit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What `capacity` found.
///
/// @param trial the trial at the wall directly above the capacity; the last one if there is no such
///   wall
/// @param ratePerSecond the highest rate that holds the objective; NaN if none was found
/// @param low the lower end of its interval; zero if it is not known
/// @param high the upper end; NaN if it is not known, or if the generator was the limit
/// @param wall the wall directly above; null if none was found
/// @param confirmed whether most pairs of trials held the objective below the rate and missed it
///   above
/// @param pairs the pairs of trials around the rate, in their order; none if the generator was the
///   limit
public record CapacityResult(
        Run run,
        Trial trial,
        double ratePerSecond,
        double low,
        double high,
        @Nullable Wall wall,
        boolean confirmed,
        List<Pair> pairs)
        implements Result {
    public CapacityResult {
        pairs = List.copyOf(pairs);
    }

    /// Two trials, one a little below the rate and one a little above.
    public record Pair(Trial below, Trial above) {
        private Map<String, String> disturbances() {
            Map<String, String> either = new HashMap<>(above.disturbances());
            either.putAll(below.disturbances());
            return either;
        }
    }

    @Override
    public String figures() {
        return "capacity %s/s (interval %s-%s)"
                .formatted(Figures.rate(ratePerSecond), Figures.rate(low), Figures.rate(high));
    }

    /// Those of most pairs; without pairs, those of the last trial. The trial above overloads the
    /// service on purpose, so its doubts say little about the capacity.
    Map<String, String> disturbances() {
        if (pairs.isEmpty()) {
            return trial.disturbances();
        }
        Map<String, String> advice = new TreeMap<>();
        Map<String, Integer> count = new HashMap<>();
        for (Pair pair : pairs) {
            pair.disturbances()
                    .forEach((id, text) -> {
                        advice.putIfAbsent(id, text);
                        count.merge(id, 1, Integer::sum);
                    });
        }
        advice.keySet().removeIf(id -> 2 * count.getOrDefault(id, 0) <= pairs.size());
        return advice;
    }
}
