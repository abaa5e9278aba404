package wallfinder.record;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;

/// Writes a study into `run.json`.
final class StudyJson {
    private StudyJson() {}

    /// The factors whose values are amounts.
    static Set<String> amounts(@Nullable StudyRecord study) {
        return study == null
                ? Set.of()
                : study.factors().stream()
                        .filter(StudyRecord.Factor::number)
                        .map(StudyRecord.Factor::name)
                        .collect(Collectors.toSet());
    }

    /// Amounts are numbers; all other values, such as the version of a JVM, are text.
    static Map<String, Object> factors(Map<String, String> factors, Set<String> amounts) {
        Map<String, Object> json = new LinkedHashMap<>();
        factors.forEach((name, value) -> json.put(name, value(amounts.contains(name), value)));
        return json;
    }

    private static Object value(boolean amount, String value) {
        return amount ? (Object) new BigDecimal(value) : value;
    }

    static Map<String, @Nullable Object> of(StudyRecord study) {
        Set<String> amounts = amounts(study);
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("repeat", study.repeat());
        json.put("factors", study.factors().stream().map(StudyJson::factor).toList());
        json.put("loads", study.loads());
        json.put("cells", study.cells().stream().map(cell -> cell(cell, amounts)).toList());
        json.put("effects", study.effects().stream().map(StudyJson::effect).toList());
        json.put("best", study.best().stream().map(StudyJson::best).toList());
        return json;
    }

    private static Map<String, @Nullable Object> factor(StudyRecord.Factor factor) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", factor.name());
        json.put("values", factor.values().stream().map(v -> value(factor.number(), v)).toList());
        json.put("changesLoad", factor.changesLoad());
        return json;
    }

    private static Map<String, @Nullable Object> cell(StudyRecord.Cell cell, Set<String> amounts) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("cell", cell.number());
        json.put("factors", factors(cell.factors(), amounts));
        json.put("load", cell.load());
        json.put("trials", cell.trials());
        json.put("invalid", cell.invalid());
        json.put("failed", cell.failed());
        json.put("problem", cell.problem());
        json.put("figures", cell.figures() == null ? null : figures(cell.figures()));
        json.put("against", cell.against() == null ? null : against(cell.against()));
        json.put("verdicts", cell.verdicts().stream().map(StudyJson::verdicts).toList());
        json.put("objectiveMet", cell.objectiveMet());
        return json;
    }

    private static Map<String, @Nullable Object> figures(StudyRecord.Figures figures) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("throughputPerSecond", Rounded.to(3, figures.perSecond()));
        json.put("throughputInterval", interval(figures.spread()));
        json.put("p50Micros", Rounded.to(1, figures.p50Nanos() / 1e3));
        json.put("p99Micros", Rounded.to(1, figures.p99Nanos() / 1e3));
        json.put("seconds", Rounded.to(3, figures.seconds()));
        json.put("requests", figures.requests());
        json.put("errors", figures.errors());
        json.put("cpuMicrosPerRequest", Rounded.to(2, figures.cpuMicros()));
        json.put("startSeconds", Rounded.to(3, figures.startSeconds()));
        json.put("rssBytesMax", Rounded.to(0, figures.rssBytes()));
        json.put("heapBytesMax", Rounded.to(0, figures.heapBytes()));
        json.put("held", figures.held() == null ? null : held(figures.held()));
        return json;
    }

    private static Map<String, @Nullable Object> held(StudyRecord.Held held) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("connections", Rounded.to(0, held.connections()));
        json.put("alive", Rounded.to(1, held.alive()));
        json.put("connectsPerSecond", Rounded.to(1, held.connectsPerSecond()));
        json.put("userBytesPerConnection", Rounded.to(0, held.userBytes()));
        json.put("kernelBytesPerConnection", Rounded.to(0, held.kernelBytes()));
        return json;
    }

    private static @Nullable List<@Nullable Object> interval(@Nullable RatioInterval ratio) {
        return ratio == null
                ? null
                : Arrays.asList(Rounded.to(4, ratio.low()), Rounded.to(4, ratio.high()));
    }

    private static Map<String, @Nullable Object> against(StudyRecord.Against against) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("cell", against.cell());
        json.put("throughput", ratio(against.throughput()));
        json.put("p99", ratio(against.p99()));
        json.put("connects", ratio(against.connects()));
        return json;
    }

    static @Nullable Map<String, @Nullable Object> ratio(@Nullable RatioInterval ratio) {
        if (ratio == null) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("ratio", Rounded.to(4, ratio.ratio()));
        json.put("interval", interval(ratio));
        json.put("pairs", ratio.pairs());
        json.put("effect", ratio.effect().name().toLowerCase(Locale.ROOT));
        return json;
    }

    private static Map<String, @Nullable Object> verdicts(StudyRecord.Verdicts verdicts) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("told", verdicts.text());
        json.put("trials", verdicts.trials());
        return json;
    }

    private static Map<String, @Nullable Object> effect(StudyRecord.Effect effect) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("factor", effect.factor());
        json.put("from", effect.from());
        json.put("to", effect.to());
        json.put("throughput", ratio(effect.throughput()));
        json.put("p99", ratio(effect.p99()));
        json.put("connects", ratio(effect.connects()));
        json.put("where", effect.where().stream().map(StudyJson::where).toList());
        return json;
    }

    private static Map<String, @Nullable Object> where(StudyRecord.Where where) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("with", where.text());
        json.put("throughput", ratio(where.throughput()));
        json.put("p99", ratio(where.p99()));
        return json;
    }

    private static Map<String, @Nullable Object> best(StudyRecord.Best best) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("load", best.load());
        json.put("cell", best.cell());
        json.put("alike", best.alike());
        return json;
    }
}
