package wallfinder.experiment;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What has to hold, such as `p99 < 50ms`, `throughput > 5k` or `errors < 0.1%`.
///
/// @param metric `p50 p90 p99 p999 p9999 max mean` (microseconds), `throughput` (per second) or
///   `errors` (share)
/// @param below true if the metric must stay below the bound
/// @param bound in microseconds, per second, or as a share of one
/// @param text as the user wrote it
public record Objective(String metric, boolean below, double bound, String text) {
    private static final List<String> LATENCIES =
            List.of("p50", "p90", "p99", "p999", "p9999", "max", "mean");
    private static final List<String> METRICS =
            List.of("p50", "p90", "p99", "p999", "p9999", "max", "mean", "throughput", "errors");
    private static final Pattern FORM =
            Pattern.compile("\\s*([A-Za-z0-9]+)\\s*(<=|>=|<|>)\\s*(\\S.*?)\\s*");
    private static final double NANOS_PER_MICRO = 1e3;

    /// Reads `METRIC < BOUND`; the comparisons are `<`, `<=`, `>` and `>=`.
    public static Objective parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw unreadable(text, "it must be a metric, a comparison and a bound");
        }
        String metric = form.group(1);
        if (!METRICS.contains(metric)) {
            throw new UsageException(
                    "The objective '" + text + "' cannot be read",
                    "there is no metric '" + metric + "'",
                    Nearest.advice(metric, METRICS));
        }
        double bound = bound(metric, form.group(3), text);
        return new Objective(metric, form.group(2).startsWith("<"), bound, text.strip());
    }

    /// Whether a measured value, in the unit of the bound, meets the objective.
    public boolean holds(double value) {
        // The text was read by `parse`: an equals sign stands in it only for <= and >=.
        if (value == bound) {
            return text.contains("=");
        }
        return below ? value < bound : value > bound;
    }

    private static double bound(String metric, String bound, String text) {
        try {
            if (LATENCIES.contains(metric)) {
                return latencyMicros(bound, text);
            }
            return metric.equals("errors")
                    ? Quantity.share(bound)
                    : Quantity.number(bound.replaceFirst("\\s*/s$", ""));
        } catch (UsageException e) {
            throw e.within("The objective '" + text + "' cannot be read");
        }
    }

    private static double latencyMicros(String bound, String text) {
        // A bare number would be seconds, and hardly anybody who writes 50 here means that.
        if (Quantity.isBare(bound)) {
            throw unreadable(text, "the bound has no unit");
        }
        return Quantity.duration(bound).toNanos() / NANOS_PER_MICRO;
    }

    private static UsageException unreadable(String text, String why) {
        return new UsageException(
                "The objective '" + text + "' cannot be read",
                why,
                "Write it as 'p99 < 50ms', 'throughput > 5k' or 'errors < 0.1%'");
    }
}
