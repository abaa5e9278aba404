package wallfinder.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Fullness;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.CapacityRecord;
import wallfinder.record.Climbs;
import wallfinder.record.NumberText;
import wallfinder.record.Rounded;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// The data of the page's first picture: what the service gave at each load of each climb, and how
/// full its limits were. The climb of a rung has the remedies of the rungs before. A capacity is
/// one curve over the rates that were asked for.
record ClimbData(RunRecord run) {
    /// A climb with one load is no curve.
    private static final int LOADS_MIN = 2;

    private static final int LIMITS_MAX = 6;

    /// A limit that never was fuller is left out.
    private static final double NEAR_MIN = 0.2;

    /// The trials of a climb, with what was changed before it.
    private record Curve(int rung, String moved, List<Trial> trials) {}

    /// Empty if no climb is a curve.
    Map<String, @Nullable Object> picture() {
        List<Curve> curves = curves();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        if (curves.isEmpty()) {
            return json;
        }
        CapacityRecord capacity = run.capacity();
        json.put("load", capacity == null ? "connections" : "requests asked for per second");
        json.put("limits", limits());
        json.put("climbs", curves.stream().map(this::climb).toList());
        json.put("capacity", capacity == null ? null : capacity(capacity));
        return json;
    }

    /// One load of a curve.
    record Level(int rung, double load, String wall, Map<String, Double> shares, Trial trial) {}

    /// The figures of the picture, a row for each load.
    Table<Level> table() {
        List<Table.Column<Level>> columns = new ArrayList<>();
        columns.add(Table.figures("rung", level -> Integer.toString(level.rung)));
        columns.add(
                Table.figures(
                        run.capacity() == null ? "connections" : "asked for/s",
                        level -> NumberText.number(level.load, ",")));
        columns.add(
                Table.figures(
                        "answers/s",
                        level -> Table.rate(level.trial.observation().load().throughput())));
        for (double percentile : new double[] {50, 99}) {
            columns.add(
                    Table.figures(
                            "p" + (int) percentile,
                            level ->
                                    NumberText.percentile(
                                            level.trial.observation().load().responseNanos(),
                                            percentile)));
        }
        for (String limit : limits()) {
            columns.add(Table.figures(limit, level -> percent(level.shares.get(limit))));
        }
        columns.add(Table.words("wall", Level::wall));
        return new Table<>(columns, levels());
    }

    private List<Level> levels() {
        List<Level> levels = new ArrayList<>();
        for (Curve curve : curves()) {
            for (Trial trial : curve.trials()) {
                String wall = isAtWall(trial) ? wall(trial) : "";
                levels.add(new Level(curve.rung(), Climbs.load(trial), wall, shares(trial), trial));
            }
        }
        return levels;
    }

    private static String percent(@Nullable Double share) {
        return share == null
                ? Table.UNKNOWN
                : share >= 1
                        ? "full"
                        : Table.known(
                                100 * share, percent -> NumberText.format("%.0f %%", percent));
    }

    private static String wall(Trial trial) {
        return trial.diagnosis().wallId().orElse("no known wall");
    }

    private static Map<String, Double> shares(Trial trial) {
        Map<String, Double> shares = new LinkedHashMap<>();
        Fullness.of(trial.observation()).forEach(one -> shares.put(name(one), one.share()));
        return shares;
    }

    private static Map<String, @Nullable Object> capacity(CapacityRecord capacity) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("perSecond", Rounded.to(1, capacity.ratePerSecond()));
        json.put("low", Rounded.to(1, capacity.low()));
        json.put("high", Rounded.to(1, capacity.high()));
        json.put("objective", capacity.objective());
        return json;
    }

    /// The limits that came near, the fullest first.
    private List<String> limits() {
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
        boolean ladder = run.capacity() == null || !run.ladder().isEmpty();
        List<Curve> curves = ladder ? curvesOfLadder() : List.of(curveOfRates());
        boolean anyCurve = curves.stream().anyMatch(curve -> curve.trials().size() >= LOADS_MIN);
        return anyCurve ? curves : List.of();
    }

    private Curve curveOfRates() {
        List<Trial> byRate = new ArrayList<>(run.trials());
        byRate.sort(Comparator.comparingDouble(Climbs::load));
        return new Curve(1, "", byRate);
    }

    private List<Curve> curvesOfLadder() {
        List<Curve> curves = new ArrayList<>();
        List<List<Trial>> climbs = Climbs.of(run);
        String moved = "";
        for (int i = 0; i < climbs.size(); i++) {
            Rung rung = run.ladder().get(i);
            curves.add(new Curve(i + 1, moved, climbs.get(i)));
            moved = rung.remedy() == null ? "" : rung.remedy().remedy().text();
        }
        return curves;
    }

    private Map<String, @Nullable Object> climb(Curve curve) {
        List<String> limits = limits();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("rung", curve.rung());
        json.put("moved", curve.moved());
        json.put("points", curve.trials().stream().map(trial -> point(trial, limits)).toList());
        return json;
    }

    private boolean isAtWall(Trial trial) {
        CapacityRecord capacity = run.capacity();
        Stream<Integer> walls =
                capacity == null || !run.ladder().isEmpty()
                        ? run.ladder().stream().map(Rung::trial)
                        : Stream.ofNullable(capacity.wall());
        return walls.map(wall -> run.trials().get(wall).name()).anyMatch(trial.name()::equals);
    }

    private Map<String, @Nullable Object> point(Trial trial, List<String> limits) {
        LoadOutcome load = trial.observation().load();
        Histogram response = load.responseNanos();
        boolean timed = response.getTotalCount() > 0;
        Map<String, Double> shares = shares(trial);
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("load", Rounded.to(1, Climbs.load(trial)));
        json.put("perSecond", Rounded.to(1, load.throughput()));
        json.put("p50", timed ? Rounded.to(3, response.getValueAtPercentile(50) / 1e6) : null);
        json.put("p99", timed ? Rounded.to(3, response.getValueAtPercentile(99) / 1e6) : null);
        json.put("wall", isAtWall(trial) ? wall(trial) : null);
        json.put(
                "full",
                limits.stream()
                        .map(limit -> Rounded.to(1, 100 * shares.getOrDefault(limit, Double.NaN)))
                        .toList());
        return json;
    }
}
