package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Evidence;
import wallfinder.diagnosis.Judgement;
import wallfinder.record.RunRecord.Trial;

/// Writes a diagnosis into `run.json`.
final class DiagnosisJson {
    private DiagnosisJson() {}

    static Map<String, @Nullable Object> of(Diagnosis diagnosis) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("verdict", diagnosis.verdict().word());
        if (diagnosis.headline() == null) {
            json.put("wall", null);
            json.put("end", null);
            json.put("harms", null);
            json.put("evidence", List.of());
        } else {
            json.putAll(binds(diagnosis.headline()));
        }
        json.put("also", diagnosis.also().stream().map(DiagnosisJson::binds).toList());
        json.put(
                "ruledOut",
                diagnosis.ruledOut().stream()
                        .map(out ->
                                Map.of(
                                        "wall",
                                        out.wall().id().word(),
                                        "state",
                                        state(out),
                                        "because",
                                        out.because()))
                        .toList());
        json.put("seen", diagnosis.seen());
        return json;
    }

    private static String state(Judgement.NotBinding wall) {
        return switch (wall) {
            case Judgement.Clear _ -> "clear";
            case Judgement.Near _ -> "near";
            case Judgement.Unknown _ -> "unknown";
        };
    }

    private static Map<String, @Nullable Object> binds(Judgement.Binds binds) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("wall", binds.wall().id().word());
        json.put("end", binds.end().word());
        json.put("harms", binds.harm() == null ? null : binds.harm().word());
        json.put("evidence", binds.evidence().stream().map(DiagnosisJson::evidence).toList());
        return json;
    }

    private static Map<String, @Nullable Object> evidence(Evidence evidence) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("counter", evidence.name());
        json.put("end", evidence.end().word());
        json.put("basis", evidence.basis().word());
        json.put("before", Rounded.to(6, evidence.before()));
        json.put("after", Rounded.to(6, evidence.after()));
        json.put("limit", Rounded.to(6, evidence.limit()));
        json.put("source", evidence.source());
        json.put("says", evidence.says());
        return json;
    }

    static List<Map<String, String>> caveats(Trial trial) {
        return trial.allCaveats().stream()
                .map(caveat -> Map.of("id", caveat.id(), "advice", caveat.advice()))
                .toList();
    }
}
