package wallfinder.record;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.record.StoredRun.Trial;

/// Reads a trial of a `run.json` back.
final class StoredTrialJson {
    private StoredTrialJson() {}

    static Trial trial(JsonNode json) {
        JsonNode load = json.path("load");
        JsonNode sandbox = json.path("sandbox");
        return new Trial(
                StoredRunJson.text(json.path("name")),
                StoredRunJson.texts(json.path("factors")),
                load.isObject() ? load(load, json.path("hold")) : null,
                finding(json.path("diagnosis")),
                budget(json.path("budget")),
                StoredRunJson.number(json.path(RunJson.CPU_MICROS)),
                json.path("warmup").isObject(),
                settings(sandbox),
                jvms(sandbox.path("services")),
                place(sandbox),
                pids(sandbox.path("services")),
                StoredRunJson.doubts(json.path("caveats")));
    }

    private static StoredRun.Load load(JsonNode json, JsonNode hold) {
        JsonNode response = json.path("responseMicros");
        return new StoredRun.Load(
                StoredRunJson.text(json.path("engine")),
                json.path("connections").asLong(0),
                json.path("keepalive").asBoolean(true),
                StoredRunJson.text(json.path("arrival")),
                StoredRunJson.textOrNull(json.path("openLoop").path("asked")),
                StoredRunJson.number(json.path("seconds")),
                StoredRunJson.number(json.path("goodPerSecond")),
                json.path("good").asLong(0),
                failed(json),
                StoredRunJson.number(response.path("p50")),
                StoredRunJson.number(response.path("p99")),
                StoredRunJson.textOrNull(json.path("tls").path("protocol")),
                StoredRunJson.each(
                        json.path("targets"), target -> StoredRunJson.text(target.path("request"))),
                hold.isObject() ? held(json, hold) : null);
    }

    /// A command that reports its errors has this kind even if there were none.
    private static @Nullable Long failed(JsonNode load) {
        JsonNode errors = load.path("errors");
        boolean command = StoredRunJson.text(load.path("engine")).equals("command");
        if (command && !errors.has("command")) {
            return null;
        }
        long failed = 0;
        for (JsonNode count : errors) {
            failed += count.asLong(0);
        }
        return failed;
    }

    private static StoredRun.Held held(JsonNode load, JsonNode hold) {
        return new StoredRun.Held(
                hold.path("fates").path("alive").asDouble(0),
                StoredRunJson.number(load.path("connectionsOpened"))
                        / StoredRunJson.number(hold.path("openingSeconds")));
    }

    private static StoredRun.Finding finding(JsonNode json) {
        return new StoredRun.Finding(
                StoredRunJson.text(json.path("verdict")),
                StoredRunJson.textOrNull(json.path("wall")),
                StoredRunJson.textOrNull(json.path("end")),
                StoredRunJson.textOrNull(json.path("harms")));
    }

    private static StoredRun.@Nullable Budget budget(JsonNode json) {
        return json.isObject()
                ? new StoredRun.Budget(
                        json.path("aloneMicros").isObject()
                                ? parts(json.path("aloneMicros"))
                                : null,
                        parts(json.path("loadedMicros")))
                : null;
    }

    private static Map<String, Double> parts(JsonNode json) {
        Map<String, Double> parts = new LinkedHashMap<>();
        json.forEachEntry((part, micros) -> parts.put(part, StoredRunJson.number(micros)));
        return parts;
    }

    private static SortedMap<String, String> settings(JsonNode sandbox) {
        SortedMap<String, String> settings = new TreeMap<>();
        StoredRunJson.texts(sandbox.path("serverSysctls"))
                .forEach((name, value) -> settings.put("server." + name, value));
        StoredRunJson.texts(sandbox.path("clientSysctls"))
                .forEach((name, value) -> settings.put("client." + name, value));
        return settings;
    }

    private static SortedMap<String, String> place(JsonNode sandbox) {
        SortedMap<String, String> place = new TreeMap<>();
        place.put("isolation", StoredRunJson.text(sandbox.path("isolation")));
        place.put("CPUs of the server", StoredRunJson.text(sandbox.path("serverCpus")));
        place.put("CPUs of the client", StoredRunJson.text(sandbox.path("clientCpus")));
        place.put(
                "CPUs shared by both ends",
                sandbox.path("sharedCpus").asBoolean(false) ? "yes" : "no");
        return place;
    }

    private static SortedMap<String, StoredRun.Jvm> jvms(JsonNode services) {
        SortedMap<String, StoredRun.Jvm> jvms = new TreeMap<>();
        for (JsonNode service : services) {
            JsonNode runtime = service.path("runtime");
            if (runtime.isObject()) {
                jvms.put(
                        StoredRunJson.text(service.path("name")),
                        new StoredRun.Jvm(
                                StoredRunJson.text(runtime.path("version")),
                                StoredRunJson.text(runtime.path("vendor")),
                                StoredRunJson.text(runtime.path("home")),
                                StoredRunJson.text(runtime.path("archive"))));
            }
        }
        return jvms;
    }

    private static Set<Integer> pids(JsonNode services) {
        Set<Integer> pids = new HashSet<>();
        services.forEach(service -> pids.add(service.path("pid").asInt(0)));
        return pids;
    }
}
