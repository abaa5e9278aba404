package wallfinder.lab.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Diagnosis;
import wallfinder.diagnosis.Judgement;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Objective;
import wallfinder.experiment.WallId;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.Condition;
import wallfinder.record.NumberText;

/// Compares a trial with an objective.
public final class Objectives {
    private Objectives() {}

    /// One trial has no capacity, so this does not compare it.
    ///
    /// @return a condition for each bound and each wall; none without an objective
    public static List<Condition> check(
            @Nullable Objective objective, LoadOutcome load, Diagnosis diagnosis) {
        List<Condition> conditions = new ArrayList<>();
        if (objective != null) {
            objective.bounds().stream()
                    .filter(bound -> !bound.ofCapacity())
                    .map(bound -> ofFigure(bound, load))
                    .forEach(conditions::add);
            objective.walls().stream()
                    .map(wall -> ofWall(wall, load, diagnosis))
                    .forEach(conditions::add);
        }
        return List.copyOf(conditions);
    }

    private static Condition ofFigure(Objective.Bound bound, LoadOutcome load) {
        double value = value(bound.metric(), load);
        return new Condition(asked(bound), measured(bound, value, load), bound.holds(value), false);
    }

    /// `62.1 ms`, or `62.1 ms (0.50 % of the requests failed)`.
    private static String measured(Objective.Bound bound, double value, LoadOutcome load) {
        boolean shifted = isPercentile(bound) && load.withoutGoodAnswer() > 0;
        String failed = NumberText.figure(100 * load.failedShare()) + " % of the requests failed";
        String none =
                load.good() == 0
                        ? "no good answer"
                        : shifted && load.failed() > 0 ? failed : "no answer at the end";
        String text = figure(bound, value, none);
        return shifted && Double.isFinite(value) ? text + " (" + failed + ")" : text;
    }

    private static boolean isPercentile(Objective.Bound bound) {
        return bound.metric().startsWith("p");
    }

    /// `p99.9 < 50.0 ms`.
    private static String asked(Objective.Bound bound) {
        return "%s %s%s %s"
                .formatted(
                        bound.metric().replaceFirst("^p99(9+)$", "p99.$1"),
                        bound.below() ? "<" : ">",
                        bound.orEqual() ? "=" : "",
                        figure(bound, bound.limit(), ""));
    }

    private static String figure(Objective.Bound bound, double value, String none) {
        if (bound.ofLatency()) {
            return Double.isInfinite(value) ? none : NumberText.millis(value * 1e3);
        }
        return bound.metric().equals("errors")
                ? NumberText.figure(100 * value) + " %"
                : NumberText.format("%,.1f/s", value);
    }

    /// A wall that binds beside the headline harms the load, too, so `wall != X` is missed. `wall
    /// == X` needs the headline. Without a good answer, any other wall could have been hidden.
    private static Condition ofWall(Objective.OfWall asked, LoadOutcome load, Diagnosis diagnosis) {
        Verdict verdict = diagnosis.verdict();
        WallId wall = asked.wall();
        if (nothingToJudge(load, verdict)) {
            return new Condition(asked.text(), "unknown: no good answer", false, true);
        }
        if (wall == null) {
            boolean harmed = verdict == Verdict.NAMED || verdict == Verdict.UNNAMED;
            boolean met = asked.equal() ? verdict == Verdict.NONE : harmed;
            return new Condition(asked.text(), found(diagnosis), met, true);
        }
        if (asked.equal()) {
            boolean met = diagnosis.headline() != null && is(diagnosis.headline(), wall);
            return new Condition(asked.text(), found(diagnosis), met, true);
        }
        String unknown = verdict == Verdict.NONE ? null : unknown(wall, diagnosis);
        boolean met = unknown == null && bound(diagnosis).noneMatch(binds -> is(binds, wall));
        return new Condition(
                asked.text(), Objects.requireNonNullElse(unknown, found(diagnosis)), met, true);
    }

    private static boolean nothingToJudge(LoadOutcome load, Verdict verdict) {
        return switch (load) {
            case LoadOutcome.Requests _ ->
                    load.good() == 0
                            || (verdict == Verdict.NONE && load.answers().mostlyBadAlone());
            case LoadOutcome.Held _, LoadOutcome.Command _, LoadOutcome.Unseen _ -> false;
        };
    }

    private static Stream<Judgement.Binds> bound(Diagnosis diagnosis) {
        return Stream.concat(Stream.ofNullable(diagnosis.headline()), diagnosis.also().stream());
    }

    private static boolean is(Judgement judgement, WallId wall) {
        return judgement.wall().id() == wall;
    }

    /// Why this wall could be neither named nor ruled out; null if it could.
    private static @Nullable String unknown(WallId wall, Diagnosis diagnosis) {
        return diagnosis.ruledOut().stream()
                .filter(one -> one instanceof Judgement.Unknown && is(one, wall))
                .map(one -> wall.word() + " is " + one.because())
                .findFirst()
                .orElse(null);
    }

    /// `accept-queue, and cpu`.
    private static String found(Diagnosis diagnosis) {
        return switch (diagnosis.verdict()) {
            case NONE -> "none";
            case UNNAMED -> "no known wall: " + diagnosis.seen();
            case NAMED, INVALID ->
                    bound(diagnosis)
                            .map(binds -> binds.wall().id().word())
                            .collect(Collectors.joining(", and "));
        };
    }

    /// What a load has for a metric, in the unit of its bounds. A response time is infinite if no
    /// bound can hold.
    public static double value(String metric, LoadOutcome load) {
        return switch (metric) {
            case "throughput" -> load.throughput();
            case "errors" -> errorShare(load);
            case "mean" -> ofGood(load, Histogram::getMean);
            case "max" -> ofGood(load, Histogram::getMaxValue);
            default -> percentile(load, percent(metric));
        };
    }

    /// `p999` is 99.9.
    public static double percent(String percentile) {
        double digits = Double.parseDouble(percentile.substring(1));
        return digits / Math.pow(10, percentile.length() - 3);
    }

    /// A figure of the good answers; unknown while requests still wait.
    private static double ofGood(LoadOutcome load, ToDoubleFunction<Histogram> nanos) {
        Histogram good = load.responseNanos();
        return good.getTotalCount() == 0 || load.unanswered() > 0
                ? Double.POSITIVE_INFINITY
                : nanos.applyAsDouble(good) / 1e3;
    }

    /// Requests without a good answer are slower than all good answers. Infinite without a good
    /// answer at this place, so that no latency objective is met.
    private static double percentile(LoadOutcome load, double percentile) {
        Histogram good = load.responseNanos();
        double all = good.getTotalCount() + load.withoutGoodAnswer();
        double ofGood = percentile * all / good.getTotalCount();
        return ofGood <= 100 ? good.getValueAtPercentile(ofGood) / 1e3 : Double.POSITIVE_INFINITY;
    }

    /// The share of requests without a good answer in this time, in microseconds; `NaN` without a
    /// request.
    public static double slowShare(LoadOutcome load, double micros) {
        Histogram good = load.responseNanos();
        long all = good.getTotalCount() + load.withoutGoodAnswer();
        long inTime = good.getCountBetweenValues(0, (long) (micros * 1e3));
        return all == 0 ? Double.NaN : (double) (all - inTime) / all;
    }

    private static double errorShare(LoadOutcome load) {
        double share = load.failedShare();
        return Double.isNaN(share) ? 1 : share;
    }
}
