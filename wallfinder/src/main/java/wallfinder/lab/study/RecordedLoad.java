package wallfinder.lab.study;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.observation.ExchangeCounts;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.LoadOutcome.Loop;

/// The JSON of a load's outcome. The components of its parts are on one level. `driver` and `hold`
/// determine the kind of the outcome.
final class RecordedLoad {
    private static final String DRIVER = "driver";
    private static final String COMMAND = "command";
    private static final String UNSEEN = "unseen";

    private static final Set<Class<?>> PARTS =
            Set.of(
                    LoadOutcome.Engine.class,
                    ExchangeCounts.class,
                    LoadOutcome.Failures.class,
                    LoadOutcome.Times.class,
                    Loop.class);

    private RecordedLoad() {}

    /// Whether the outcome's JSON contains this component's components directly.
    static boolean isPart(Class<?> component) {
        return PARTS.contains(component);
    }

    static Map<String, @Nullable Object> toJson(LoadOutcome load) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        switch (load) {
            case LoadOutcome.Driven _ -> {} // the engine is one of the parts
            case LoadOutcome.Command _ -> json.put(DRIVER, COMMAND);
            case LoadOutcome.Unseen _ -> json.put(DRIVER, UNSEEN);
        }
        json.putAll(RecordJson.components((Record) load));
        return json;
    }

    static Map<String, @Nullable Object> toJson(Loop loop) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("lockstep", loop instanceof Loop.Lockstep);
        switch (loop) {
            case Loop.Closed _ -> {}
            case Loop.Lockstep(Histogram batches) ->
                    json.put("batchNanos", RecordJson.toJson(batches));
            case Loop.Open open -> json.put("openLoop", toJson(open));
        }
        return json;
    }

    /// Older recordings have no gaps.
    private static Map<String, @Nullable Object> toJson(Loop.Open open) {
        Map<String, @Nullable Object> json = RecordJson.components(open);
        if (open.gapNanos().getTotalCount() == 0) {
            json.remove("gapNanos");
        }
        return json;
    }

    static Class<? extends LoadOutcome> kind(JsonNode json) {
        return switch (json.path(DRIVER).asString("")) {
            case COMMAND -> LoadOutcome.Command.class;
            case UNSEEN -> LoadOutcome.Unseen.class;
            default ->
                    json.path("hold").isObject()
                            ? LoadOutcome.Held.class
                            : LoadOutcome.Requests.class;
        };
    }

    static Object loop(JsonNode json) {
        if (json.path("openLoop").isObject()) {
            return RecordJson.record(json.path("openLoop"), Loop.Open.class);
        }
        return json.path("lockstep").asBoolean(false)
                ? RecordJson.record(json, Loop.Lockstep.class)
                : new Loop.Closed();
    }
}
