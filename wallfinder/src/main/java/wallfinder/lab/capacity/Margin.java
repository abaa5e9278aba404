package wallfinder.lab.capacity;

import org.HdrHistogram.Histogram;
import wallfinder.experiment.Objective;
import wallfinder.experiment.UsageException;
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
        Histogram response = load.responseNanos();
        return switch (bound.metric()) {
            case "errors" -> ofShare(load.failed(), all(load), bound.limit());
            case "mean" -> ofTime(response.getMean(), bound.limit(), load);
            case "max" -> ofTime(response.getMaxValue(), bound.limit(), load);
            default -> {
                double allowed = 1 - percentile(bound.metric()) / 100;
                yield ofShare(slow(bound, load), all(load), allowed);
            }
        };
    }

    /// `p999` is 99.9.
    private static double percentile(String metric) {
        double digits = Double.parseDouble(metric.substring(1));
        return digits / Math.pow(10, metric.length() - 3);
    }

    /// Requests that had no good answer in time: a service that refuses the load at once does not
    /// serve it.
    private static long slow(Objective.Bound bound, LoadOutcome load) {
        Histogram good = load.responseNanos();
        return all(load) - good.getCountBetweenValues(0, (long) (bound.limit() * 1e3));
    }

    private static long withoutAnswer(LoadOutcome load) {
        long inFlight = load instanceof LoadOutcome.Driven driven ? driven.inFlight() : 0;
        return load.networkErrors() + inFlight;
    }

    private static long all(LoadOutcome load) {
        return load.answered() + withoutAnswer(load);
    }

    /// Negative infinity if no request counts, even if none is allowed.
    private static double ofShare(long count, long all, double allowed) {
        if (all == 0) {
            return Double.POSITIVE_INFINITY;
        }
        return count == 0 ? Double.NEGATIVE_INFINITY : Math.log((double) count / all / allowed);
    }

    private static double ofTime(double nanos, double limitMicros, LoadOutcome load) {
        boolean none = load.responseNanos().getTotalCount() == 0;
        return none ? Double.POSITIVE_INFINITY : Math.log(nanos / 1e3 / limitMicros);
    }
}
