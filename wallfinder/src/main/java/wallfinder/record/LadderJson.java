package wallfinder.record;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Advice;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// Writes the ladder into `run.json`.
final class LadderJson {
    /// Without a remedy there is no gain.
    private static final RatioInterval NOTHING = new RatioInterval(1, 1, 1, 0);

    private LadderJson() {}

    static List<Map<String, @Nullable Object>> of(RunRecord run) {
        List<List<Trial>> climbs = Climbs.of(run);
        List<Map<String, @Nullable Object>> ladder = new ArrayList<>();
        for (int i = 0; i < climbs.size(); i++) {
            Map<String, @Nullable Object> rung = rung(run, run.ladder().get(i));
            Climbs.law(climbs.get(i)).ifPresent(law -> rung.put("scalability", Climbs.json(law)));
            ladder.add(rung);
        }
        return ladder;
    }

    private static Map<String, @Nullable Object> rung(RunRecord run, Rung rung) {
        Trial trial = run.trials().get(rung.trial());
        Judgement.@Nullable Binds headline = trial.diagnosis().headline();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("trial", rung.trial());
        json.put("throughputPerSecond", LoadJson.throughput(trial.observation().load()));
        json.put("climbPerSecond", LoadJson.throughput(trial.observation().load()));
        json.put(
                "startedUnderLoad",
                rung.startedUnderLoad() == null ? null : Rounded.to(3, rung.startedUnderLoad()));
        json.put("wall", headline == null ? null : headline.wall().id().word());
        json.put("end", headline == null ? null : headline.end().word());
        Applied applied = rung.remedy();
        json.put("remedy", applied == null ? null : remedy(applied.remedy()));
        gain(json, applied == null ? NOTHING : applied.throughput());
        json.put("verified", applied != null && applied.kept() && measured(applied));
        if (applied != null) {
            effects(json, applied);
        }
        json.put("without", rung.without().stream().map(LadderJson::applied).toList());
        json.put("tried", rung.tried().stream().map(LadderJson::applied).toList());
        json.put("unmeasured", rung.unmeasured().stream().map(LadderJson::unmeasured).toList());
        if (rung.capacity() != null) {
            json.put("capacity", CapacityJson.of(run, rung.capacity()));
        }
        if (rung.profile() != null) {
            json.put("profile", ProfileJson.of(rung.profile()));
        }
        json.put("advice", rung.advice().stream().map(LadderJson::advice).toList());
        return json;
    }

    private static void gain(Map<String, @Nullable Object> json, RatioInterval gain) {
        json.put("gain", Rounded.to(4, gain.ratio()));
        json.put("gainInterval", interval(gain));
        json.put("pairs", gain.pairs());
    }

    private static @Nullable Object interval(RatioInterval ratio) {
        var low = Rounded.to(4, ratio.low());
        var high = Rounded.to(4, ratio.high());
        return low == null || high == null ? null : List.of(low, high);
    }

    private static void effects(Map<String, @Nullable Object> json, Applied applied) {
        RatioInterval p99 = applied.p99().inverse();
        json.put("p99Gain", Rounded.to(4, p99.ratio()));
        json.put("p99GainInterval", interval(p99));
        json.put("p99MicrosBefore", Rounded.to(1, applied.before().p99Nanos() / 1e3));
        json.put("p99MicrosAfter", Rounded.to(1, applied.after().p99Nanos() / 1e3));
        json.put("throughputBefore", Rounded.to(3, applied.before().perSecond()));
        json.put("throughputAfter", Rounded.to(3, applied.after().perSecond()));
        json.put("throughputsBefore", each(applied.before()));
        json.put("throughputsAfter", each(applied.after()));
        json.put("errorsBefore", applied.before().errors());
        json.put("errorsAfter", applied.after().errors());
        json.put("effect", effect(applied));
        json.put("masks", applied.masks() == null ? null : applied.masks().word());
        json.put("told", applied.text());
        if (applied.lowerBound()) {
            json.put("lowerBound", true);
        }
        if (applied.tooFewPairs()) {
            json.put("tooFewPairs", true);
        }
        if (applied.raised() != null) {
            json.put("raised", raised(applied.raised()));
        }
    }

    private static Map<String, @Nullable Object> raised(RunRecord.Raised raised) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("ratePerSecond", Rounded.to(3, raised.perSecond()));
        json.put("pairs", raised.pairs());
        json.put("missedWithout", raised.missedWithout());
        json.put("heldWith", raised.heldWith());
        return json;
    }

    private static List<@Nullable Object> each(RunRecord.Side side) {
        List<@Nullable Object> rates = new ArrayList<>();
        side.each().forEach(rate -> rates.add(Rounded.to(3, rate)));
        return rates;
    }

    private static String effect(Applied applied) {
        return applied.comparable()
                ? applied.throughput().effect().name().toLowerCase(Locale.ROOT)
                : "unknown";
    }

    private static boolean measured(Applied applied) {
        return applied.comparable() && applied.throughput().pairs() > 0;
    }

    private static Map<String, @Nullable Object> remedy(Remedy remedy) {
        List<Change> changes = remedy.changes();
        Map<String, @Nullable Object> json = new LinkedHashMap<>(change(changes.getFirst()));
        json.put(
                "with",
                changes.subList(1, changes.size()).stream().map(LadderJson::change).toList());
        json.put("price", remedy.price());
        return json;
    }

    private static Map<String, String> change(Change change) {
        Map<String, String> json = new LinkedHashMap<>();
        json.put("setting", change.setting().name());
        json.put("from", change.from());
        json.put("to", change.to());
        return json;
    }

    private static Map<String, @Nullable Object> applied(Applied applied) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>(remedy(applied.remedy()));
        gain(json, applied.throughput());
        json.put("verified", measured(applied));
        effects(json, applied);
        return json;
    }

    private static Map<String, @Nullable Object> unmeasured(RunRecord.Unmeasured unmeasured) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>(remedy(unmeasured.remedy()));
        json.put("why", unmeasured.why());
        return json;
    }

    private static Map<String, @Nullable Object> advice(Advice advice) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("command", advice.command());
        json.put("price", advice.price());
        json.put("verified", false);
        return json;
    }
}
