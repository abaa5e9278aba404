package wallfinder.record;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Scalability;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord.Rung;
import wallfinder.record.RunRecord.Trial;

/// The climbs of a ladder: the trials of each rung by their load.
public final class Climbs {
    private Climbs() {}

    /// The rate of a Poisson process; empty for another load.
    public static OptionalDouble asked(LoadOutcome load) {
        return load instanceof LoadOutcome.Driven driven
                        && driven.loop() instanceof LoadOutcome.Loop.Open open
                        && open.arrival() instanceof Arrival.Poisson poisson
                ? OptionalDouble.of(poisson.perSecond())
                : OptionalDouble.empty();
    }

    /// What was raised: the rate of a Poisson process, or the connections.
    public static double load(Trial trial) {
        LoadOutcome load = trial.observation().load();
        return asked(load).orElse(load.connections());
    }

    /// For each rung, the trials of its climb. A load that was measured again counts as it was the
    /// last time.
    public static List<List<Trial>> of(RunRecord run) {
        List<List<Trial>> climbs = new ArrayList<>();
        int from = 0;
        for (Rung rung : run.ladder()) {
            TreeMap<Double, Trial> byLoad = new TreeMap<>();
            CapacityRecord capacity = rung.capacity();
            int named = capacity == null ? 0 : capacity.lastTrial();
            int end = 1 + Math.max(rung.trial(), named);
            run.trials().subList(from, end).stream()
                    .filter(trial -> trial.role() == RunRecord.Role.CLIMB)
                    .forEach(trial -> byLoad.put(load(trial), trial));
            climbs.add(List.copyOf(byLoad.values()));
            from = end;
        }
        return climbs;
    }

    /// The Universal Scalability Law of the levels of a closed loop without a wall.
    ///
    /// @return empty if there are too few, or the law does not fit them
    public static Optional<Scalability> law(List<Trial> climb) {
        return Scalability.of(
                climb.stream()
                        .filter(trial -> trial.diagnosis().verdict() == Verdict.NONE)
                        .map(trial -> trial.observation().load())
                        .filter(Climbs::isClosed)
                        .map(load -> new Scalability.Point(load.connections(), load.throughput()))
                        .toList());
    }

    private static boolean isClosed(LoadOutcome load) {
        return load instanceof LoadOutcome.Requests requests
                && requests.loop() instanceof LoadOutcome.Loop.Closed;
    }

    /// `contention 0.012 (0.01-0.015), coherency 0 (0-0.0002)`.
    public static String words(Scalability law) {
        return words("contention", law.contention()) + ", " + words("coherency", law.coherency());
    }

    private static String words(String name, Scalability.Bounded bounded) {
        return NumberText.format(
                "%s %.2g (%.2g-%.2g)", name, bounded.value(), bounded.low(), bounded.high());
    }

    static Map<String, @Nullable Object> json(Scalability law) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("alonePerSecond", Rounded.to(3, law.alonePerSecond()));
        json.put("contention", json(law.contention()));
        json.put("coherency", json(law.coherency()));
        json.put("highestPerSecond", Rounded.to(3, law.highestPerSecond()));
        json.put("typicalError", Rounded.to(4, law.typicalError()));
        return json;
    }

    private static Map<String, @Nullable Object> json(Scalability.Bounded bounded) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("value", Rounded.to(9, bounded.value()));
        json.put("low", Rounded.to(9, bounded.low()));
        json.put("high", Rounded.to(9, bounded.high()));
        return json;
    }
}
