package wallfinder.record;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Limit;

/// Writes a limit of `doctor` into `run.json`.
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
        json.put("needs", Rounded.to(DECIMALS, limit.needs()));
        json.put("fits", (known && limit.decides()) ? limit.fits() : null);
        json.put("setBy", limit.setBy());
        json.put("source", limit.source());
        json.put("note", Objects.requireNonNullElse(limit.note(), ""));
        json.put("moves", limit.moves());
        return json;
    }
}
