package wallfinder.lab.trial;

import org.HdrHistogram.Histogram;
import wallfinder.experiment.Objective;
import wallfinder.observation.LoadOutcome;

/// Compares an outcome with an objective.
final class Objectives {
    private Objectives() {}

    /// One trial has no capacity, so this does not compare it.
    static boolean met(Objective objective, LoadOutcome load) {
        return objective.bounds().stream()
                .filter(bound -> !bound.ofCapacity())
                .allMatch(b -> b.holds(value(b.metric(), load)));
    }

    private static double value(String metric, LoadOutcome load) {
        Histogram response = load.responseNanos();
        return switch (metric) {
            case "throughput" -> load.throughput();
            case "errors" -> errorShare(load);
            case "mean" ->
                    response.getTotalCount() == 0
                            ? Double.POSITIVE_INFINITY
                            : response.getMean() / 1e3;
            case "max" -> percentile(response, 100);
            case "p999" -> percentile(response, 99.9);
            case "p9999" -> percentile(response, 99.99);
            default -> percentile(response, Double.parseDouble(metric.substring(1)));
        };
    }

    /// Infinite without an answer, so that no latency objective is met.
    private static double percentile(Histogram response, double percentile) {
        return response.getTotalCount() == 0
                ? Double.POSITIVE_INFINITY
                : response.getValueAtPercentile(percentile) / 1e3;
    }

    private static double errorShare(LoadOutcome load) {
        long all = load.answered() + load.networkErrors();
        return all == 0 ? 1 : (double) load.failed() / all;
    }
}
