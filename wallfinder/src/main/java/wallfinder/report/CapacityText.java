package wallfinder.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.ArrivalCheck;
import wallfinder.diagnosis.OrderStatistics;
import wallfinder.observation.End;
import wallfinder.observation.Key;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.Timeline;
import wallfinder.record.CapacityRecord;
import wallfinder.record.Climbs;
import wallfinder.record.NumberText;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Trial;

/// A capacity in words and as a table of its rates.
final class CapacityText {
    private CapacityText() {}

    /// The capacity, how it was confirmed, and all rates.
    static void write(RunRecord run, PlainText lines) {
        CapacityRecord capacity = run.capacity();
        lines.strong(
                run.name()
                        + ": "
                        + (capacity == null ? "no capacity was found" : headline(capacity)));
        if (capacity != null && !capacity.pairs().isEmpty()) {
            lines.add("  confirmed  ", confirmation(capacity));
            lines.add("  predicted  ", prediction(capacity));
            CapacityCost.of(capacity, run.trials())
                    .ifPresent(cost -> lines.add("  cost       ", cost.words()));
        }
        if (!run.trials().isEmpty()) {
            lines.add("  arrivals   ", arrivals(run));
            lines.blank().table(rates(run), true, true, true, true, true, true, true, false);
        }
    }

    /// The capacity below the wall of a rung, if there is one.
    static void write(@Nullable CapacityRecord capacity, PlainText lines) {
        if (capacity != null) {
            lines.add("  capacity ", headline(capacity));
            lines.add("    ", confirmation(capacity));
        }
    }

    /// The capacity at the end of a ladder, if it is one of capacities.
    static void last(RunRecord run, PlainText lines) {
        if (run.capacity() != null) {
            lines.add("  capacity ", headline(run.capacity()));
        }
    }

    /// `331.5/s with p99 < 25ms (95 % interval 325.1-338.0)`.
    static String headline(CapacityRecord capacity) {
        String rate = rate(capacity.ratePerSecond()) + "/s";
        if (capacity.isLowerBound()) {
            return "more than %s with %s".formatted(rate, capacity.objective());
        }
        return "%s with %s (%s)".formatted(rate, capacity.objective(), interval(capacity));
    }

    private static String interval(CapacityRecord capacity) {
        String low = rate(capacity.low());
        String high = rate(capacity.high());
        if (capacity.isStep()) {
            return "between trials at %s and %s".formatted(low, high);
        }
        return Double.isFinite(capacity.high())
                ? "95 %% interval %s-%s".formatted(low, high)
                : "no interval: too few trials agree on it";
    }

    /// How the capacity was confirmed.
    static String confirmation(CapacityRecord capacity) {
        return NumberText.format(
                "%d pairs of trials%s: the objective held in %d of %d a little below, and was"
                        + " missed in %d of %d a little above%s",
                capacity.pairs().size(),
                capacity.freshServices() ? ", each with fresh services" : "",
                capacity.heldBelow(),
                capacity.pairs().size(),
                capacity.missedAbove(),
                capacity.pairs().size(),
                disturbed(capacity.disturbed().size()));
    }

    /// A service that stalls now and then has fewer slow answers without these trials.
    private static String disturbed(int trials) {
        return switch (trials) {
            case 0 -> "";
            case 1 -> "; one trial with 20 times as many slow answers as expected does not count";
            default ->
                    "; %d trials with 20 times as many slow answers as expected do not count"
                            .formatted(trials);
        };
    }

    static String prediction(CapacityRecord capacity) {
        Double predicted = capacity.predicted();
        if (predicted == null) {
            return "none: the Universal Scalability Law does not fit the trials before the pairs";
        }
        return "no rate above %s/s, by the Universal Scalability Law; the capacity is %.0f %% of it"
                .formatted(rate(predicted), 100 * capacity.ratePerSecond() / predicted);
    }

    /// All trials by their rates.
    static List<List<String>> rates(RunRecord run) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(
                List.of(
                        "asked/s",
                        "answers/s",
                        "p50",
                        "p99",
                        "95 % interval",
                        "halves",
                        "failed",
                        "objective"));
        run.trials().stream()
                .sorted(Comparator.comparingDouble(CapacityText::asked))
                .forEach(trial -> rows.add(row(trial)));
        return rows;
    }

    private static List<String> row(Trial trial) {
        LoadOutcome load = trial.observation().load();
        return List.of(
                rate(asked(trial)),
                LoadText.rate(load),
                NumberText.percentile(load.responseNanos(), 50),
                NumberText.percentile(load.responseNanos(), 99),
                interval(OrderStatistics.percentile(load.times().thinned(), 99)),
                Table.known(drift(trial), drift -> NumberText.format("%.2f", drift)),
                NumberText.count(load.failed()),
                held(trial));
    }

    /// A miss while the generator was the limit says nothing about the service.
    private static String held(Trial trial) {
        if (Boolean.TRUE.equals(trial.objectiveMet())) {
            return "held";
        }
        return trial.invalid() ? "invalid" : "missed";
    }

    /// The mean response time of the second half of a trial, divided by that of the first half. Far
    /// above 1, a queue grows all the time: the service cannot serve this rate.
    static double drift(Trial trial) {
        Timeline timeline = trial.observation().timeline();
        long[] nanos = timeline.nanos();
        int last = nanos.length - 1;
        int middle = 0;
        while (middle < last && 2 * (nanos[middle] - nanos[0]) < nanos[last] - nanos[0]) {
            middle++;
        }
        return mean(timeline, middle, last) / mean(timeline, 0, middle);
    }

    private static double mean(Timeline timeline, int from, int to) {
        return growth(timeline, LoadFigure.RESPONSE_MICROS_SUM, from, to)
                / growth(timeline, LoadFigure.REQUESTS, from, to);
    }

    private static double growth(Timeline timeline, Key key, int from, int to) {
        return timeline.find(key, End.CLIENT)
                .filter(series -> to > from)
                .map(series -> series.values()[to] - series.values()[from])
                .orElse(Double.NaN);
    }

    private static String interval(OrderStatistics.Interval interval) {
        if (interval.independent() == 0) {
            return "-";
        }
        String low = Double.isFinite(interval.low()) ? NumberText.millis(interval.low()) : "0 ms";
        return Double.isFinite(interval.high())
                ? low + " - " + NumberText.millis(interval.high())
                : low + " or more";
    }

    private static double asked(Trial trial) {
        return Climbs.asked(trial.observation().load()).orElse(0);
    }

    /// How well the requests that were sent follow the process that was asked for.
    static String arrivals(RunRecord run) {
        double worst =
                run.trials().stream()
                        .map(trial -> ArrivalCheck.of(trial.observation().load()))
                        .flatMap(Optional::stream)
                        .mapToDouble(ArrivalCheck::distance)
                        .max()
                        .orElse(Double.NaN);
        return NumberText.format(
                "the gaps between requests differ from a Poisson process by at most %.1f %%"
                        + " (Kolmogorov-Smirnov distance, the worst trial without waiting requests)",
                100 * worst);
    }

    private static String rate(double perSecond) {
        return NumberText.format("%,.1f", perSecond);
    }
}
