package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Drift;
import wallfinder.observation.Observation;

/// Writes the drift of a long measurement into `run.json`.
final class DriftJson {
    private DriftJson() {}

    /// Null if the measurement was too short.
    static @Nullable Map<String, @Nullable Object> of(Observation observation) {
        return Drift.of(observation).map(DriftJson::of).orElse(null);
    }

    private static Map<String, @Nullable Object> of(Drift drift) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("seconds", Rounded.to(1, drift.seconds()));
        json.put("buckets", drift.buckets());
        json.put("found", drift.found().stream().map(DriftJson::found).toList());
        return json;
    }

    private static Map<String, @Nullable Object> found(Drift.Found found) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("counter", found.counter().name());
        json.put("end", found.counter().end().word());
        json.put("unit", found.unit());
        json.put("perHour", Rounded.to(3, found.perHour()));
        json.put("from", Rounded.to(3, found.from()));
        json.put("to", Rounded.to(3, found.to()));
        json.put("told", found.line());
        return json;
    }
}
