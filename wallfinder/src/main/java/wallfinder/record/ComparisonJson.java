package wallfinder.record;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.diagnosis.RatioInterval;

/// Writes a comparison of two runs; `docs/compare.md` describes its form.
public final class ComparisonJson {
    private static final String SCHEMA = "wallfinder-comparison/1";

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private ComparisonJson() {}

    /// Writes a file that appears whole or not at all.
    public static void write(Comparison comparison, Path path) throws IOException {
        byte[] json =
                (MAPPER.writeValueAsString(of(comparison)) + "\n").getBytes(StandardCharsets.UTF_8);
        WholeFile.write(path, out -> out.write(json));
    }

    private static Map<String, @Nullable Object> of(Comparison comparison) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("schema", SCHEMA);
        json.put("a", side(comparison.a()));
        json.put("b", side(comparison.b()));
        json.put("sameRun", comparison.sameRun());
        json.put("refused", comparison.refused());
        json.put(
                "differences",
                comparison.differences().stream().map(ComparisonJson::difference).toList());
        json.put("doubts", comparison.doubts().stream().map(ComparisonJson::doubt).toList());
        json.put("rows", comparison.rows().stream().map(ComparisonJson::row).toList());
        json.put("unmatched", comparison.unmatched());
        json.put("decide", decision(comparison.decision()));
        return json;
    }

    private static Map<String, String> side(Comparison.Side side) {
        Map<String, String> json = new LinkedHashMap<>();
        json.put("run", side.run());
        json.put("name", side.name());
        json.put("command", side.command());
        json.put("startedAt", side.startedAt());
        return json;
    }

    private static Map<String, String> difference(Comparison.Difference difference) {
        Map<String, String> json = new LinkedHashMap<>();
        json.put("where", word(difference.where()));
        json.put("what", difference.what());
        json.put("a", difference.a());
        json.put("b", difference.b());
        return json;
    }

    private static Map<String, Object> doubt(Comparison.Doubt doubt) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", doubt.id());
        json.put("advice", doubt.advice());
        json.put("inA", doubt.inA());
        json.put("inB", doubt.inB());
        return json;
    }

    private static Map<String, @Nullable Object> row(Comparison.Row row) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("label", row.label());
        json.put("load", row.load());
        json.put("trialsA", row.trialsA());
        json.put("trialsB", row.trialsB());
        json.put("figures", row.figures().stream().map(ComparisonJson::figure).toList());
        json.put("wallA", row.wallA());
        json.put("wallB", row.wallB());
        json.put("budgetA", budget(row.budgetA()));
        json.put("budgetB", budget(row.budgetB()));
        json.put("notes", row.notes());
        return json;
    }

    private static Map<String, @Nullable Object> figure(Comparison.Figure figure) {
        RatioInterval interval = figure.interval();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("figure", word(figure.kind()));
        json.put("a", Rounded.to(4, figure.a()));
        json.put("b", Rounded.to(4, figure.b()));
        json.put("ratio", Rounded.to(4, figure.ratio()));
        json.put("interval", interval == null ? null : bounds(interval));
        json.put("result", word(figure.result()));
        return json;
    }

    private static @Nullable List<BigDecimal> bounds(RatioInterval interval) {
        BigDecimal low = Rounded.to(4, interval.low());
        BigDecimal high = Rounded.to(4, interval.high());
        return low == null || high == null ? null : List.of(low, high);
    }

    private static @Nullable Map<String, @Nullable Object> budget(
            StoredRun.@Nullable Budget budget) {
        if (budget == null) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("aloneMicros", budget.alone() == null ? null : parts(budget.alone()));
        json.put("loadedMicros", parts(budget.loaded()));
        return json;
    }

    private static Map<String, @Nullable BigDecimal> parts(Map<String, Double> parts) {
        Map<String, @Nullable BigDecimal> json = new LinkedHashMap<>();
        parts.forEach((part, micros) -> json.put(part, Rounded.to(1, micros)));
        return json;
    }

    private static Map<String, @Nullable Object> decision(Comparison.Decision decision) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("how", decision.how());
        json.put("commands", decision.commands());
        json.put("experiment", decision.experiment());
        return json;
    }

    /// `GOOD_PER_SECOND` as `good-per-second`.
    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
