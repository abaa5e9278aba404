package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes a capacity into `run.json`.
final class CapacityJson {
    private CapacityJson() {}

    static Map<String, @Nullable Object> of(RunRecord run, CapacityRecord capacity) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        Integer wall = capacity.wall();
        json.put("ratePerSecond", Rounded.to(3, capacity.ratePerSecond()));
        json.put("low", Rounded.to(3, capacity.low()));
        json.put("high", Rounded.to(3, capacity.high()));
        json.put("objective", capacity.objective());
        json.put(
                "wall",
                wall == null ? null : run.trials().get(wall).diagnosis().wallId().orElse(null));
        json.put("wallTrial", wall);
        json.put("predicted", Rounded.to(3, capacity.predicted()));
        json.put("confirmed", capacity.confirmed());
        json.put("disturbed", capacity.disturbed());
        json.put("freshServices", capacity.freshServices());
        json.put("pairs", capacity.pairs().stream().map(CapacityJson::pair).toList());
        return json;
    }

    private static Map<String, @Nullable Object> pair(CapacityRecord.Pair pair) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("below", side(pair.below()));
        json.put("above", side(pair.above()));
        return json;
    }

    private static Map<String, @Nullable Object> side(CapacityRecord.Side side) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("trial", side.trial());
        json.put("ratePerSecond", Rounded.to(3, side.perSecond()));
        json.put("held", side.held());
        return json;
    }
}
