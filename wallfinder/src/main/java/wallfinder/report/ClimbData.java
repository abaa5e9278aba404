package wallfinder.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Fullness;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.Rounded;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// The data of the page's first picture: what the service gave at each load of each climb, and how
/// full its limits were. The climb of a rung has the remedies of the rungs before.
record ClimbData(RunRecord run) {
    /// A climb with one load is no curve.
    private static final int LOADS_MIN = 2;

    private static final int LIMITS_MAX = 6;

    /// A limit that never was fuller is left out.
    private static final double NEAR_MIN = 0.2;

    /// The trials of a climb, with what was changed before it.
    private record Curve(int rung, String moved, List<Trial> trials) {}

    List<Map<String, @Nullable Object>> climbs() {
        return curves().stream().map(this::climb).toList();
    }

    /// The limits that came near, the fullest first.
    List<String> limits() {
        Map<String, Double> fullest = new LinkedHashMap<>();
        for (Curve curve : curves()) {
            for (Trial trial : curve.trials()) {
                Fullness.of(trial.observation())
                        .forEach(one -> fullest.merge(name(one), one.share(), Math::max));
            }
        }
        return fullest.entrySet().stream()
                .filter(one -> one.getValue() >= NEAR_MIN)
                .sorted(Comparator.comparingDouble(one -> -one.getValue()))
                .limit(LIMITS_MAX)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static String name(Fullness one) {
        return one.end() == End.SERVER ? one.limit() : one.limit() + " (client)";
    }

    private List<Curve> curves() {
        List<Curve> curves = new ArrayList<>();
        int from = 0;
        String moved = "";
        for (int i = 0; i < run.ladder().size(); i++) {
            Rung rung = run.ladder().get(i);
            // A load that was measured again counts as it was the last time.
            TreeMap<Integer, Trial> byLoad = new TreeMap<>();
            run.trials().subList(from, rung.trial() + 1).stream()
                    .filter(trial -> trial.role() == RunRecord.Role.CLIMB)
                    .forEach(trial -> byLoad.put(trial.observation().load().connections(), trial));
            curves.add(new Curve(i + 1, moved, List.copyOf(byLoad.values())));
            from = rung.trial() + 1;
            moved = rung.remedy() == null ? "" : rung.remedy().remedy().text();
        }
        boolean anyCurve = curves.stream().anyMatch(curve -> curve.trials().size() >= LOADS_MIN);
        return anyCurve ? curves : List.of();
    }

    private Map<String, @Nullable Object> climb(Curve curve) {
        List<String> limits = limits();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("rung", curve.rung());
        json.put("moved", curve.moved());
        json.put("points", curve.trials().stream().map(trial -> point(trial, limits)).toList());
        return json;
    }

    private Map<String, @Nullable Object> point(Trial trial, List<String> limits) {
        LoadOutcome load = trial.observation().load();
        Histogram response = load.responseNanos();
        boolean timed = response.getTotalCount() > 0;
        Map<String, Double> shares = new LinkedHashMap<>();
        Fullness.of(trial.observation()).forEach(one -> shares.put(name(one), one.share()));
        boolean atWall =
                run.ladder().stream()
                        .map(rung -> run.trials().get(rung.trial()).name())
                        .anyMatch(trial.name()::equals);
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("connections", load.connections());
        json.put("perSecond", Rounded.to(1, load.throughput()));
        json.put("p50", timed ? Rounded.to(3, response.getValueAtPercentile(50) / 1e6) : null);
        json.put("p99", timed ? Rounded.to(3, response.getValueAtPercentile(99) / 1e6) : null);
        json.put("wall", atWall ? trial.diagnosis().wallId().orElse("no known wall") : null);
        json.put(
                "full",
                limits.stream()
                        .map(limit -> Rounded.to(1, 100 * shares.getOrDefault(limit, Double.NaN)))
                        .toList());
        return json;
    }
}
