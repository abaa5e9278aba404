package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.LoadGenerator;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadPart;
import wallfinder.observation.Observation;

/// Writes the hosts that generated a load together into `run.json`.
final class GeneratorsJson {
    private GeneratorsJson() {}

    static List<Map<String, @Nullable Object>> of(
            LoadOutcome.Driven load, Observation observation) {
        return load.engine().parts().stream().map(part -> of(part, observation)).toList();
    }

    private static Map<String, @Nullable Object> of(LoadPart part, Observation observation) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("host", part.host());
        json.put("connections", part.connections());
        if (!Double.isNaN(part.perSecond())) {
            json.put("rate", Rounded.to(3, part.perSecond()));
        }
        json.put("answered", part.answered());
        json.put("startSkewMicros", Rounded.to(1, part.startSkewNanos() / 1e3));
        json.put("clockBoundMicros", Rounded.to(1, part.clockBoundNanos() / 1e3));
        String limit = LoadGenerator.limitOf(part, observation);
        if (limit != null) {
            json.put("limit", limit);
        }
        return json;
    }
}
