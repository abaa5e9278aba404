package wallfinder.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.experiment.UsageException;
import wallfinder.record.StoredRun.Trial;

/// Reads a `run.json` back.
public final class StoredRunJson {
    /// The largest run of a thousand trials takes a tenth of this.
    private static final long BYTES_MAX = 1L << 28;

    private static final String FAMILY = RunJson.SCHEMA.replaceFirst("\\d+$", "");
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final String ADVICE =
            "name the folder of a run, or its run.json, as in `wallfinder compare runs/A runs/B` and"
                    + " `--baseline runs/A`";

    private StoredRunJson() {}

    /// @param run a run's folder or its `run.json`
    /// @throws UsageException if this is no `run.json` that this version can read
    public static StoredRun read(Path run) {
        Path file = Files.isDirectory(run) ? run.resolve("run.json") : run;
        if (!Files.isRegularFile(file)) {
            throw error(
                    run, Files.isDirectory(run) ? "it has no run.json" : "there is no such file");
        }
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw error(run, "it is larger than any run.json");
            }
            return run(file, checked(run, MAPPER.readTree(Files.readAllBytes(file))));
        } catch (IOException e) {
            throw error(run, "it cannot be read: " + e.getMessage());
        } catch (JacksonException e) {
            throw error(run, "it is no JSON, or its end is missing: " + e.getOriginalMessage());
        }
    }

    private static UsageException error(Path run, String why) {
        return new UsageException(run + " cannot be compared", why, ADVICE);
    }

    private static JsonNode checked(Path run, JsonNode json) {
        String schema = json.path("schema").isString() ? json.path("schema").stringValue() : "";
        if (schema.startsWith(FAMILY) && !schema.equals(RunJson.SCHEMA)) {
            throw new UsageException(
                    run + " cannot be compared",
                    "its schema is %s, and this Wallfinder reads %s"
                            .formatted(schema, RunJson.SCHEMA),
                    "use the version of Wallfinder that wrote it, or measure again");
        }
        if (!schema.equals(RunJson.SCHEMA)) {
            throw error(
                    run,
                    schema.isEmpty()
                            ? "it is no run.json: it has no schema"
                            : "it is no run.json: its schema is " + schema);
        }
        for (String part : List.of("host", "trials", "ladder", "command", "startedAt", "name")) {
            if (!json.has(part)) {
                throw error(run, "it is no complete run.json: it has no " + part);
            }
        }
        return json;
    }

    private static StoredRun run(Path file, JsonNode json) {
        List<Trial> trials = each(json.path("trials"), StoredTrialJson::trial);
        return new StoredRun(
                file,
                text(json.path("name")),
                text(json.path("command")),
                text(json.path("startedAt")),
                texts(json.path("host")),
                trials,
                each(json.path("ladder"), StoredRunJson::rung),
                each(json.path("study").path("cells"), StoredRunJson::cell),
                json.path("fit").isObject() ? fit(json.path("fit")) : null,
                json.path("capacity").isObject() ? capacity(json.path("capacity"), trials) : null);
    }

    private static StoredRun.Rung rung(JsonNode json) {
        JsonNode remedy = json.path("remedy");
        String moved =
                remedy.isObject()
                        ? "%s %s -> %s: %s"
                                .formatted(
                                        text(remedy.path("setting")),
                                        text(remedy.path("from")),
                                        text(remedy.path("to")),
                                        text(json.path("told")))
                        : null;
        return new StoredRun.Rung(json.path("trial").asInt(0), moved);
    }

    private static StoredRun.Cell cell(JsonNode json) {
        return new StoredRun.Cell(
                texts(json.path("factors")),
                new LinkedHashSet<>(each(json.path("trials"), StoredRunJson::text)));
    }

    private static StoredRun.Fit fit(JsonNode json) {
        Map<String, StoredRun.Candidate> candidates = new LinkedHashMap<>();
        for (JsonNode candidate : json.path("candidates")) {
            String name = text(candidate.path("name"));
            candidates.put(
                    name,
                    new StoredRun.Candidate(
                            smallest(json, name, candidate.path("warm"), false),
                            smallest(json, name, candidate.path("cold"), true)));
        }
        return new StoredRun.Fit(json.path("stepBytes").asLong(0), candidates);
    }

    private static StoredRun.Capacity capacity(JsonNode json, List<Trial> all) {
        Set<String> names = new LinkedHashSet<>();
        for (JsonNode pair : json.path("pairs")) {
            for (String side : List.of("below", "above")) {
                int trial = pair.path(side).path("trial").asInt(-1);
                if (trial >= 0 && trial < all.size()) {
                    names.add(all.get(trial).name());
                }
            }
        }
        double high = number(json.path("high"));
        return new StoredRun.Capacity(
                text(json.path("objective")),
                number(json.path("ratePerSecond")),
                number(json.path("low")),
                Double.isNaN(high) ? Double.POSITIVE_INFINITY : high,
                names,
                json.path("wallTrial").isInt() ? json.path("wallTrial").intValue() : null);
    }

    private static StoredRun.@Nullable Smallest smallest(
            JsonNode fit, String candidate, JsonNode limit, boolean cold) {
        if (!limit.path("bytes").isNumber()) {
            return null;
        }
        long bytes = limit.path("bytes").longValue();
        Set<String> passes = new LinkedHashSet<>();
        for (JsonNode tried : fit.path("tries")) {
            if (text(tried.path("candidate")).equals(candidate)
                    && tried.path("limitBytes").asLong(0) == bytes
                    && tried.path("cold").asBoolean(false) == cold
                    && tried.path("knockOut").isNull()
                    && tried.path("discarded").isNull()) {
                passes.add(text(tried.path("trial")));
            }
        }
        return new StoredRun.Smallest(bytes, passes);
    }

    /// What to make of one element.
    interface Made<T> {
        T of(JsonNode json);
    }

    static <T> List<T> each(JsonNode list, Made<T> made) {
        List<T> all = new ArrayList<>();
        list.forEach(element -> all.add(made.of(element)));
        return List.copyOf(all);
    }

    static SortedMap<String, String> texts(JsonNode object) {
        SortedMap<String, String> texts = new TreeMap<>();
        object.forEachEntry((name, value) -> texts.put(name, text(value)));
        return texts;
    }

    static String text(JsonNode json) {
        return json.isValueNode() && !json.isNull() ? json.asString() : "";
    }

    static @Nullable String textOrNull(JsonNode json) {
        return json.isString() ? json.stringValue() : null;
    }

    static double number(JsonNode json) {
        return json.isNumber() ? json.doubleValue() : Double.NaN;
    }

    static Map<String, String> doubts(JsonNode caveats) {
        Map<String, String> doubts = new HashMap<>();
        caveats.forEach(doubt -> doubts.put(text(doubt.path("id")), text(doubt.path("advice"))));
        return doubts;
    }
}
