package wallfinder.record;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import wallfinder.diagnosis.Limit;
import wallfinder.observation.End;

/// A limit of `doctor` in `run.json`.
final class LimitsJson {
    private static final int DECIMALS = 6;

    private LimitsJson() {}

    static Map<String, @Nullable Object> of(Limit limit) {
        boolean known = !Double.isNaN(limit.share());
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("wall", limit.wall());
        json.put("end", limit.end().word());
        json.put("limit", Rounded.to(DECIMALS, limit.limit()));
        json.put("inUse", Rounded.to(DECIMALS, limit.inUse()));
        json.put("hitAt", NumberText.hitAt(limit, ""));
        json.put("bindsAt", Rounded.to(DECIMALS, limit.hitAt()));
        json.put("unit", limit.unit());
        json.put("bytes", limit.bytes());
        json.put("decides", limit.decides());
        json.put("needs", Rounded.to(DECIMALS, limit.needs()));
        json.put("fits", (known && limit.decides()) ? limit.fits() : null);
        json.put("setBy", limit.setBy());
        json.put("source", limit.source());
        json.put("note", Objects.requireNonNullElse(limit.note(), ""));
        json.put("moves", limit.moves());
        return json;
    }

    static Limit read(JsonNode json) {
        List<String> moves = new ArrayList<>();
        json.required("moves").forEach(move -> moves.add(StoredRunJson.text(move)));
        String note = StoredRunJson.text(json.required("note"));
        double bindsAt = StoredRunJson.number(json.required("bindsAt"));
        return new Limit(
                StoredRunJson.text(json.required("wall")),
                End.valueOf(StoredRunJson.text(json.required("end")).toUpperCase(Locale.ROOT)),
                StoredRunJson.number(json.required("limit")),
                StoredRunJson.number(json.required("inUse")),
                StoredRunJson.number(json.required("needs")),
                Double.isNaN(bindsAt) ? Double.POSITIVE_INFINITY : bindsAt,
                StoredRunJson.text(json.required("unit")),
                json.required("bytes").asBoolean(),
                json.required("decides").asBoolean(),
                StoredRunJson.text(json.required("setBy")),
                StoredRunJson.text(json.required("source")),
                note.isEmpty() ? null : note,
                moves);
    }
}
