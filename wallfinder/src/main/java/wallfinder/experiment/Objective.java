package wallfinder.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A condition such as `p99 < 50ms`, `rate > 5k`, `errors < 0.1%` or `wall != cpu`, or several of
/// them, separated by commas. All of them must hold.
///
/// @param text as the user wrote it
public record Objective(List<Bound> bounds, List<OfWall> walls, String text) {
    private static final String THROUGHPUT = "throughput";

    /// The highest rate at which a service holds the rest of an objective.
    static final String CAPACITY = "capacity";

    private static final List<String> LATENCIES =
            List.of("p50", "p90", "p99", "p999", "p9999", "max", "mean");
    private static final String WALL = "wall";

    /// The word for the absence of a wall.
    private static final String NONE = "none";

    private static final List<String> METRICS =
            Stream.concat(
                            LATENCIES.stream(),
                            Stream.of(THROUGHPUT, "rate", "errors", CAPACITY, WALL))
                    .toList();
    private static final Pattern FORM =
            Pattern.compile("\\s*([A-Za-z0-9.]+)\\s*(<=|>=|<|>)\\s*(\\S.*?)\\s*");
    private static final Pattern WALL_FORM =
            Pattern.compile("\\s*wall\\b\\s*([=!<>]*)\\s*(.*?)\\s*", Pattern.CASE_INSENSITIVE);
    private static final double NANOS_PER_MICRO = 1e3;

    public Objective {
        bounds = List.copyOf(bounds);
        walls = List.copyOf(walls);
    }

    /// A condition of the wall that a load reaches.
    ///
    /// @param wall null for no wall
    /// @param equal whether it must be this one, or must not
    public record OfWall(@Nullable WallId wall, boolean equal) {
        /// As a user writes it.
        public String text() {
            return "wall %s %s".formatted(equal ? "==" : "!=", wall == null ? NONE : wall.word());
        }
    }

    /// A bound of one metric.
    ///
    /// @param metric `p50 p90 p99 p999 p9999 max mean` (microseconds), `throughput` and `capacity`
    ///   (per second) or `errors` (share)
    /// @param below whether the metric must be below the limit, or above
    /// @param orEqual whether the limit itself is allowed
    /// @param limit in microseconds, per second, or as a share of one
    public record Bound(String metric, boolean below, boolean orEqual, double limit) {
        /// Whether the metric is what only the command `capacity` finds.
        public boolean ofCapacity() {
            return metric.equals(CAPACITY);
        }

        /// Whether the metric is a response time.
        public boolean ofLatency() {
            return LATENCIES.contains(metric);
        }

        /// Whether a measured value in the unit of the limit meets the bound.
        public boolean holds(double value) {
            if (value == limit) {
                return orEqual;
            }
            return below ? value < limit : value > limit;
        }
    }

    /// Reads `METRIC < BOUND, METRIC < BOUND`; the comparisons are `<`, `<=`, `>` and `>=`.
    public static Objective parse(String text) {
        List<Bound> bounds = new ArrayList<>();
        List<OfWall> walls = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher wall = WALL_FORM.matcher(part);
            if (wall.matches()) {
                walls.add(wall(wall.group(1), wall.group(2), text));
            } else {
                bounds.add(one(part, text));
            }
        }
        return new Objective(bounds, walls, text.strip());
    }

    private static OfWall wall(String comparison, String word, String text) {
        if (!List.of("==", "!=").contains(comparison) || word.isEmpty()) {
            throw new UsageException(
                    "The objective '" + text + "' cannot be read",
                    "a wall is equal to another one or not",
                    "write it as 'wall != accept-queue', 'wall == cpu' or 'wall == none'");
        }
        WallId wall = WallId.find(word);
        if (wall == null && !word.equals(NONE)) {
            throw new UsageException(
                    "The objective '" + text + "' cannot be read",
                    "there is no wall '" + word + "'",
                    Nearest.advice(
                            word, Stream.concat(Stream.of(NONE), WallId.WORDS.stream()).toList()));
        }
        return new OfWall(wall, comparison.equals("=="));
    }

    private static Bound one(String part, String text) {
        Matcher form = FORM.matcher(part);
        if (!form.matches()) {
            throw unreadable(text, "it must be a metric, a comparison and a bound");
        }
        // People write p99.9, and reports print it so.
        String metric = form.group(1).replace(".", "");
        if (!METRICS.contains(metric)) {
            throw new UsageException(
                    "The objective '" + text + "' cannot be read",
                    "there is no metric '" + form.group(1) + "'",
                    Nearest.advice(metric, METRICS));
        }
        String comparison = form.group(2);
        return new Bound(
                metric.equals("rate") ? THROUGHPUT : metric,
                comparison.startsWith("<"),
                comparison.endsWith("="),
                limit(metric, form.group(3), text));
    }

    private static double limit(String metric, String bound, String text) {
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
        // A bare number would be seconds, which hardly anybody means here.
        if (Quantity.isBare(bound)) {
            throw unreadable(text, "the bound has no unit");
        }
        return Quantity.duration(bound).toNanos() / NANOS_PER_MICRO;
    }

    private static UsageException unreadable(String text, String why) {
        return new UsageException(
                "The objective '" + text + "' cannot be read",
                why,
                "Write it as 'p99 < 50ms', 'rate > 5k', 'errors < 0.1%', 'wall != cpu', or several with"
                        + " commas between");
    }
}
