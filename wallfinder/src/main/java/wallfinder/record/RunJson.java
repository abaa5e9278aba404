package wallfinder.record;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Observation;
import wallfinder.observation.ProcessFigure;
import wallfinder.observation.Series;
import wallfinder.record.RunRecord.Trial;

/// Writes `run.json`; `docs/run.schema.json` describes its form.
public final class RunJson {
    /// Increases when readers of the older form would misread it.
    public static final String SCHEMA = "wallfinder/1";

    /// The services' CPU time for a good answer, of each trial.
    static final String CPU_MICROS = "cpuMicrosPerAnswer";

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private RunJson() {}

    /// Writes a file that appears whole or not at all.
    public static void write(RunRecord run, Path path) throws IOException {
        byte[] json = bytes(run);
        WholeFile.write(path, out -> out.write(json));
    }

    static byte[] bytes(RunRecord run) {
        return (MAPPER.writeValueAsString(of(run)) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, @Nullable Object> of(RunRecord run) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("schema", SCHEMA);
        json.put("name", run.name());
        json.put("command", run.command());
        json.put("startedAt", run.startedAt());
        json.put("host", finite(run.host()));
        Set<String> amounts = StudyJson.amounts(run.study());
        json.put("trials", run.trials().stream().map(trial -> trial(trial, amounts)).toList());
        json.put("ladder", LadderJson.of(run));
        json.put("limits", run.limits().stream().map(LimitsJson::of).toList());
        json.put("ended", Objects.requireNonNullElse(run.ended(), ""));
        if (run.study() != null) {
            json.put("study", StudyJson.of(run.study()));
        }
        if (run.fit() != null) {
            json.put("fit", FitJson.of(run.fit()));
        }
        if (run.capacity() != null) {
            json.put("capacity", CapacityJson.of(run, run.capacity()));
        }
        return json;
    }

    private static Map<String, @Nullable Object> trial(Trial trial, Set<String> amounts) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", trial.name());
        json.put("factors", StudyJson.factors(trial.factors(), amounts));
        json.put("warmup", warmup(trial.warmup()));
        LoadOutcome load = trial.observation().load();
        json.put("load", load instanceof LoadOutcome.Unseen ? null : LoadJson.of(load));
        if (load instanceof LoadOutcome.Driven driven && !driven.engine().parts().isEmpty()) {
            json.put("generators", GeneratorsJson.of(driven, trial.observation()));
        }
        if (load instanceof LoadOutcome.Held held) {
            json.put("hold", HoldJson.of(held.hold()));
        }
        json.put("diagnosis", DiagnosisJson.of(trial.diagnosis()));
        json.put("budget", BudgetJson.of(trial.observation()));
        json.put(CPU_MICROS, cpuMicros(trial.observation()));
        if (trial.profile() != null) {
            json.put("profile", ProfileJson.of(trial.profile()));
        }
        json.put("caveats", DiagnosisJson.caveats(trial));
        json.put("objectiveMet", trial.objectiveMet());
        if (!trial.conditions().isEmpty()) {
            json.put("objective", trial.conditions().stream().map(RunJson::condition).toList());
        }
        json.put("drift", DriftJson.of(trial.observation()));
        json.put("sandbox", LoadJson.sandbox(trial.observation().facts()));
        return json;
    }

    private static Map<String, Object> condition(Condition condition) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("asked", condition.asked());
        json.put("measured", condition.measured());
        json.put("met", condition.met());
        return json;
    }

    /// Null if the services' processes were not seen, or if there was no good answer.
    private static @Nullable BigDecimal cpuMicros(Observation observation) {
        double seconds =
                observation
                        .timeline()
                        .all(ProcessFigure.CPU, End.SERVER)
                        .mapToDouble(Series::growth)
                        .reduce(Double::sum)
                        .orElse(Double.NaN);
        long good = observation.load().good();
        return Rounded.to(2, good > 0 ? 1e6 * seconds / good : Double.NaN);
    }

    private static @Nullable Map<String, @Nullable Object> warmup(
            RunRecord.@Nullable Warmup warmup) {
        if (warmup == null) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("answers", warmup.answers());
        json.put("seconds", Rounded.to(3, warmup.seconds()));
        json.put("cpuMicrosPerAnswer", Rounded.to(3, warmup.cpuMicrosPerAnswer()));
        return json;
    }

    /// JSON has no `NaN`.
    private static Map<String, @Nullable Object> finite(Map<String, Object> facts) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        facts.forEach((name, value) ->
                json.put(name, value instanceof Double number ? Rounded.to(6, number) : value));
        return json;
    }
}
