package wallfinder.record;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.diagnosis.Limit;

/// The limits of a preflight on another host, as its `run.json` has them.
///
/// @param ended the result and the doubts in one sentence
public record StoredLimits(List<Limit> limits, String ended) {
    /// @param json the content of a `run.json` of this version
    public static StoredLimits read(String json) {
        JsonNode run = JsonMapper.shared().readTree(json);
        List<Limit> limits = new ArrayList<>();
        for (JsonNode limit : run.required("limits")) {
            limits.add(LimitsJson.read(limit));
        }
        return new StoredLimits(List.copyOf(limits), StoredRunJson.text(run.required("ended")));
    }
}
