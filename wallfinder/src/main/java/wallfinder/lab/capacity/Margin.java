package wallfinder.lab.capacity;

import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
import wallfinder.lab.trial.Objectives;
import wallfinder.observation.LoadOutcome;

/// How far a load is from an objective, on a log scale: 0 is the border, a positive margin misses
/// the objective. For `p99 < 50ms` it is the logarithm of the share of requests without a good
/// answer in 50 ms, divided by the allowed share of 1 %. This share changes smoothly with the rate,
/// unlike the percentile of a service whose response times have two modes.
final class Margin {
    private Margin() {}

    /// @throws UsageException if an objective has no capacity, or another kind of bound
    static void check(Objective objective) {
        String what = "there is no capacity for the objective '" + objective.text() + "'";
        if (!objective.walls().isEmpty()) {
            throw new UsageException(
                    what,
                    "a rate holds an objective by its response times and errors; capacity itself"
                            + " names the wall above that rate",
                    "leave '%s' out, or use it with the command load"
                            .formatted(objective.walls().getFirst().text()));
        }
        for (Objective.Bound bound : objective.bounds()) {
            if (bound.ofCapacity()) {
                continue;
            }
            if (!bound.below() || !(bound.ofLatency() || bound.metric().equals("errors"))) {
                throw new UsageException(
                        what,
                        "a rate holds an objective if response times and errors are below their"
                                + " bounds, and '%s' is another kind of bound"
                                        .formatted(bound.metric()),
                        "write it as 'p99 < 50ms, errors < 0.1%'");
            }
        }
        if (objective.bounds().stream().noneMatch(Objective.Bound::ofLatency)) {
            throw new UsageException(
                    what,
                    "it has no bound of the response time, so a queue might grow without end",
                    "add one, as in 'p99 < 50ms, errors < 0.1%'");
        }
    }

    /// The bound that is missed most decides.
    static double of(Objective objective, LoadOutcome load) {
        return objective.bounds().stream()
                .filter(bound -> !bound.ofCapacity())
                .mapToDouble(bound -> of(bound, load))
                .max()
                .orElseThrow();
    }

    private static double of(Objective.Bound bound, LoadOutcome load) {
        return switch (bound.metric()) {
            case "errors" -> ofShare(load.failedShare(), bound.limit());
            case "mean", "max" -> Math.log(Objectives.value(bound.metric(), load) / bound.limit());
            default -> {
                double allowed = 1 - Objectives.percent(bound.metric()) / 100;
                yield ofShare(Objectives.slowShare(load, bound.limit()), allowed);
            }
        };
    }

    /// Negative infinity if no request counts, even if none is allowed.
    private static double ofShare(double share, double allowed) {
        if (Double.isNaN(share)) {
            return Double.POSITIVE_INFINITY;
        }
        return share == 0 ? Double.NEGATIVE_INFINITY : Math.log(share / allowed);
    }
}
