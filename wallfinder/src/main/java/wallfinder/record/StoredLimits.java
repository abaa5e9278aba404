package wallfinder.record;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.diagnosis.Limit;
import wallfinder.linux.EnvironmentException;

/// The limits of a preflight on another host, as its `run.json` has them.
///
/// @param ended the result and the doubts in one sentence
public record StoredLimits(List<Limit> limits, String ended) {
    /// @param json the content of a `run.json` of this version
    /// @throws EnvironmentException if it is something else
    public static StoredLimits read(String json) {
        try {
            JsonNode run = JsonMapper.shared().readTree(json);
            List<Limit> limits = new ArrayList<>();
            for (JsonNode limit : run.required("limits")) {
                limits.add(LimitsJson.read(limit));
            }
            return new StoredLimits(List.copyOf(limits), StoredRunJson.text(run.required("ended")));
        } catch (JacksonException | IllegalArgumentException e) {
            throw new EnvironmentException(
                    "the limits of the other host cannot be read",
                    String.valueOf(e.getMessage()),
                    "run doctor on that host, and report it");
        }
    }
}
