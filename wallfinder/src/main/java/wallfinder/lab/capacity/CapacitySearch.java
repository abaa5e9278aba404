package wallfinder.lab.capacity;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.Scalability;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Objective;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.Progress;
import wallfinder.live.Planned;
import wallfinder.live.Step;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;

/// Finds the highest rate that holds an objective, in four steps.
///
/// 1. It doubles or halves the rate until one rate held the objective and another one missed it.
/// 2. It halves the distance between the last rate that held and the first that missed.
/// 3. It measures pairs of trials, one a little below the border and one a little above. The trials
///    near the border give the [Estimate]. If the first pairs show that the border is elsewhere,
///    because the host disturbed the steps before, it looks for it anew from there.
/// 4. It raises the rate further until a wall binds, to name what limits the service. If a rate far
///    above the pairs holds the objective, it looks for the border anew from there.
///
/// If the generator is the limit, it measures the highest rate that held once more, as a lower
/// bound.
final class CapacitySearch {
    static final int PAIRS = 6;
    static final int PAIRS_MAX = 9;

    /// If all trials of so many pairs held, or all missed, the border may not be between them.
    private static final int PAIRS_ASTRAY = 3;

    /// An interval with a larger share of the rate gets more pairs.
    private static final double WIDE = 0.1;

    /// The rates of a pair are the border divided and multiplied by at most this.
    private static final double APART_MAX = 1.05;

    private static final double APART_MIN = 1.02;

    /// The margins of a pair should differ from zero by about this: by less, most of the difference
    /// is chance; by more, the margin grows differently below and above.
    private static final double MARGIN_APART = 0.8;

    /// The pairs begin when the two rates of the bracket differ by less than this factor.
    private static final double BRACKET = 1.15;

    /// Two trials say little about the slope. That of queues is between these: it is small if one
    /// request alone nearly misses the objective.
    private static final double SLOPE_LIKELY_MIN = 2;

    private static final double SLOPE_LIKELY_MAX = 30;

    private static final double RATE_MIN = 1;
    private static final double RATE_MAX = 5_000_000;

    /// The first rate, as a share of what one connection could send.
    private static final double FIRST_SHARE = 0.5;

    /// At this share of the first rate requests hardly meet each other. A service that misses the
    /// objective there misses it without load.
    private static final double SLOWEST_SHARE = 1.0 / 16;

    /// A short trial has at least this many requests, if the whole duration is long enough.
    private static final double REQUESTS_MIN = 400;

    private static final double SHORT_SECONDS_MIN = 2;

    /// A request that is open at the end may still get its answer within the bound. The answers to
    /// the others decide, and only a trial that is so many times longer than the bound has enough.
    private static final double SHORT_BOUNDS_MIN = 2;

    private static final int ANEW_MAX = 2;

    /// Where the wall above is looked for, as multiples of the capacity.
    private static final List<Double> BEYOND = List.of(1.2, 1.5, 2.0, 3.0);

    private final CapacityTrials trials;
    private final Objective objective;
    private final Duration duration;
    private final Progress progress;
    private final Levels levels;
    private final List<Estimate.Pair> pairs = new ArrayList<>();
    private final List<Level> between = new ArrayList<>();
    private int pairsMeasured;
    private int leftOut;
    private int begunAnew;
    private double border;
    private double bracketSlope;
    private double slope;
    private @Nullable Integer wall;
    private @Nullable Double predicted;

    CapacitySearch(
            CapacityTrials trials,
            Objective objective,
            Duration duration,
            Interruption interruption,
            Progress progress) {
        this.trials = trials;
        this.objective = objective;
        this.duration = duration;
        this.progress = progress;
        this.levels = new Levels(objective, interruption, progress);
    }

    /// How a search ended.
    enum End {
        FOUND,
        /// Even a rate at which requests hardly meet each other missed the objective.
        NEVER_HELD,
        /// The generator is the limit: the highest rate that it can send held it, or it was the
        /// limit in most of the pairs.
        GENERATORS_LIMIT
    }

    /// The last rate that held, and the first that missed.
    private record Bracket(Level held, Level missed) {
        boolean isWide() {
            return missed.perSecond() > BRACKET * held.perSecond();
        }

        double middle() {
            return Math.sqrt(held.perSecond() * missed.perSecond());
        }
    }

    /// All trials so far, in their order.
    List<RunRecord.Trial> measured() {
        return levels.all().stream().map(Level::trial).toList();
    }

    Level last() {
        return levels.all().getLast();
    }

    /// What the pairs so far give. Without a pair, and if the generator was the limit in most of
    /// them, it is the highest rate that held, a lower bound.
    Optional<CapacityRecord> found() {
        if (pairs.isEmpty() || isGeneratorsLimit()) {
            return levels.highestHeld().map(this::atLeast);
        }
        Estimate estimate = estimate();
        return Optional.of(
                new CapacityRecord(
                        objective.text(),
                        estimate.perSecond(),
                        estimate.low(),
                        estimate.high(),
                        pairs.stream().map(Estimate.Pair::recorded).toList(),
                        estimate.disturbed().stream().map(Level::index).toList(),
                        trials.fresh(),
                        wall,
                        predicted));
    }

    private CapacityRecord atLeast(Level held) {
        return new CapacityRecord(
                objective.text(),
                held.perSecond(),
                held.perSecond(),
                Double.POSITIVE_INFINITY,
                List.of(),
                List.of(),
                trials.fresh(),
                null,
                null);
    }

    /// @throws CancellationException if the user stopped it
    End run() {
        CapacityTrials.Place place = trials.open("search");
        try {
            double first = first(place.aloneSeconds());
            End end = bracketed(place, first, first);
            predict(place.aloneSeconds());
            while (end == End.FOUND && wantsMore()) {
                if (trials.fresh() && pairsMeasured > 0) {
                    place.close();
                    place = trials.open("pair-" + (pairsMeasured + 1));
                }
                boolean counts = pair(place);
                if (isGeneratorsLimit()) {
                    end = End.GENERATORS_LIMIT;
                } else if (counts) {
                    end = onward(place, first);
                }
            }
            if (end == End.GENERATORS_LIMIT) {
                confirm(place);
            }
            return end;
        } finally {
            place.close();
        }
    }

    /// What the pairs so far say about the next step.
    private End onward(CapacityTrials.Place place, double first) {
        recentre();
        if (isAstray()) {
            return anew(place, first, border, "all trials of the pairs are on one side of it");
        }
        double held = wantsMore() ? 0 : beyond(place);
        return held > 0
                ? anew(place, first, held, "a rate far above it held the objective")
                : End.FOUND;
    }

    /// The highest of many rates may have held in one short trial by chance. So it is measured
    /// again, and if it misses, the next lower one.
    private void confirm(CapacityTrials.Place place) {
        show("measuring the lower bound again");
        boolean held = false;
        for (int n = 1; !held && levels.highestHeld().isPresent(); n++) {
            double rate = levels.highestHeld().get().perSecond();
            String name = "at-least-%d-%s".formatted(n, Levels.text(rate));
            held = levels.measure(place, rate, duration, name).held();
        }
    }

    /// Doubles or halves the rate until one rate held and another one missed, and narrows that down
    /// to the border.
    private End bracketed(CapacityTrials.Place place, double first, double from) {
        show("doubling the rate");
        Level held = null;
        Level missed = null;
        double rate = from;
        while (held == null || missed == null) {
            if (rate < Math.max(RATE_MIN, SLOWEST_SHARE * first)) {
                return End.NEVER_HELD;
            }
            Level level = twiceIfMissed(place, rate);
            if (rate > RATE_MAX || (level.generatorsMiss() && !levels.missedByService())) {
                return End.GENERATORS_LIMIT;
            }
            held = level.held() ? level : held;
            missed = level.held() ? missed : level;
            rate = level.held() ? 2 * rate : rate / 2;
        }
        border = narrowed(place, new Bracket(held, missed));
        return End.FOUND;
    }

    /// Whether most of the pairs do not count, because the generator was the limit in them.
    private boolean isGeneratorsLimit() {
        return leftOut > pairs.size() && leftOut + pairs.size() >= PAIRS_ASTRAY;
    }

    private boolean isAstray() {
        long held =
                pairs.stream()
                        .flatMap(pair -> Stream.of(pair.below(), pair.above()))
                        .filter(Level::held)
                        .count();
        return begunAnew < ANEW_MAX
                && pairs.size() == PAIRS_ASTRAY
                && (held == 0 || held == 2 * PAIRS_ASTRAY);
    }

    /// The trials so far still count if they are near the new border. If no rate holds the
    /// objective any more, because the host is disturbed now, the pairs so far stay.
    ///
    /// @param why the capacity is elsewhere
    private End anew(CapacityTrials.Place place, double first, double from, String why) {
        begunAnew++;
        progress.say("the capacity is elsewhere, because %s: looking for it anew".formatted(why));
        List<Estimate.Pair> before = List.copyOf(pairs);
        pairs.clear();
        leftOut = 0;
        End end = bracketed(place, first, from);
        if (end == End.NEVER_HELD) {
            progress.say("no rate holds the objective now: going on with the pairs before");
            pairs.addAll(before);
            return End.FOUND;
        }
        before.stream()
                .flatMap(pair -> Stream.of(pair.below(), pair.above()))
                .forEach(between::add);
        between.removeIf(level -> !Estimate.isNear(level, Math.log(border), bracketSlope));
        return end;
    }

    private void show(String text) {
        progress.step(new Step("capacity: " + text, Planned.unknown(System.nanoTime())));
    }

    private static double first(double aloneSeconds) {
        return Double.isNaN(aloneSeconds)
                ? RATE_MIN
                : Math.clamp(FIRST_SHARE / aloneSeconds, RATE_MIN, RATE_MAX);
    }

    /// The name of a trial in this round of the search: the first, or one that began anew.
    private String round(String name) {
        return begunAnew == 0 ? name : "anew-%d-%s".formatted(begunAnew, name);
    }

    /// One slow moment of the host is no limit of the service, and a second trial finds it warmer.
    /// Only if the generator was the limit in both, nothing is known of the service.
    private Level twiceIfMissed(CapacityTrials.Place place, double rate) {
        Duration shortly = shortly(rate);
        String name = round("rate-") + Levels.text(rate);
        Level first = levels.measure(place, rate, shortly, name);
        if (first.held()) {
            return first;
        }
        Level again = levels.measure(place, rate, shortly, name + "-again");
        return again.generatorsMiss() ? first : again;
    }

    private Duration shortly(double rate) {
        double boundSeconds =
                objective.bounds().stream()
                        .filter(Objective.Bound::ofLatency)
                        .mapToDouble(bound -> bound.limit() / 1e6)
                        .max()
                        .orElse(0);
        double least = Math.max(SHORT_SECONDS_MIN, SHORT_BOUNDS_MIN * boundSeconds);
        double seconds = Math.min(duration.toNanos() / 1e9, Math.max(least, REQUESTS_MIN / rate));
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    /// @return the first estimate of the border
    private double narrowed(CapacityTrials.Place place, Bracket wide) {
        Bracket bracket = wide;
        while (bracket.isWide()) {
            double middle = bracket.middle();
            show("halving the distance");
            String name = round("between-") + Levels.text(middle);
            Level level = levels.judged(place, middle, duration, name);
            // The pairs show whether the border is above such a rate.
            if (!level.generatorsMiss()) {
                between.add(level);
            }
            bracket =
                    level.held()
                            ? new Bracket(level, bracket.missed())
                            : new Bracket(bracket.held(), level);
        }
        bracketSlope =
                Math.clamp(
                        bracket.held().slopeTo(bracket.missed()),
                        SLOPE_LIKELY_MIN,
                        SLOPE_LIKELY_MAX);
        slope = bracketSlope;
        return bracket.middle();
    }

    /// By Little's law, the mean number of requests under way is the rate times their mean time. A
    /// rate that the service cannot serve has no such mean: ever more requests wait.
    private void predict(double aloneSeconds) {
        List<Scalability.Point> points = new ArrayList<>();
        if (!Double.isNaN(aloneSeconds)) {
            points.add(new Scalability.Point(1, 1 / aloneSeconds));
        }
        levels.all().stream()
                .filter(Level::held)
                .map(level -> level.trial().observation().load())
                .map(load ->
                        new Scalability.Point(
                                load.throughput() * load.responseNanos().getMean() / 1e9,
                                load.throughput()))
                .forEach(points::add);
        predicted =
                Scalability.of(points)
                        .map(Scalability::highestPerSecond)
                        .filter(Double::isFinite)
                        .orElse(null);
        progress.say(
                predicted == null
                        ? "the Universal Scalability Law does not fit these trials: no prediction"
                        : "the Universal Scalability Law predicts at most %s/s"
                                .formatted(Levels.text(predicted)));
    }

    private boolean wantsMore() {
        return pairs.size() < PAIRS || (pairs.size() < PAIRS_MAX && estimate().widerThan(WIDE));
    }

    /// A few pairs may be far off. So the border moves by no more than the distance of a pair.
    private void recentre() {
        Estimate estimate = estimate();
        slope = estimate.slope();
        border = Math.clamp(estimate.rough(), border / apart(), border * apart());
    }

    private double apart() {
        return Math.clamp(Math.exp(MARGIN_APART / slope), APART_MIN, APART_MAX);
    }

    private Estimate estimate() {
        List<Estimate.Group> groups = new ArrayList<>();
        between.forEach(level -> groups.add(new Estimate.Group(List.of(level))));
        pairs.forEach(pair -> groups.add(pair.group()));
        return Estimate.of(groups, pairs, border, bracketSlope);
    }

    /// The lower rate comes first, then the higher one, in the order ABBA over the pairs that
    /// count.
    ///
    /// @return whether the pair counts
    private boolean pair(CapacityTrials.Place place) {
        pairsMeasured++;
        int number = pairs.size() + 1;
        String name = "pair-%d-".formatted(pairsMeasured);
        String pair = "pair %d of at least %d".formatted(number, PAIRS);
        progress.say(pair);
        show(pair);
        boolean aboveFirst = number % 4 == 2 || number % 4 == 3;
        Level first = side(place, aboveFirst, name);
        Level second = side(place, !aboveFirst, name);
        if (first.generatorsMiss() || second.generatorsMiss()) {
            leftOut++;
            progress.say("  the pair does not count: the generator was the limit twice");
            return false;
        }
        pairs.add(aboveFirst ? new Estimate.Pair(second, first) : new Estimate.Pair(first, second));
        return true;
    }

    private Level side(CapacityTrials.Place place, boolean above, String name) {
        return above
                ? levels.judged(place, border * apart(), duration, name + "above")
                : levels.judged(place, border / apart(), duration, name + "below");
    }

    /// A wall that already binds in most of the trials above is the nearest.
    ///
    /// @return a rate far above the pairs that held the objective in two trials; 0 if none did, or
    ///   if the search has begun anew too often
    private double beyond(CapacityTrials.Place place) {
        pairs.stream()
                .map(Estimate.Pair::above)
                .filter(CapacitySearch::isWalled)
                .collect(Collectors.groupingBy(level -> level.trial().diagnosis().wallId()))
                .values()
                .stream()
                .filter(same -> 2 * same.size() > pairs.size())
                .forEach(same -> wall = same.getLast().index());
        show("looking for the wall above");
        for (double factor : wall == null ? BEYOND : List.<Double>of()) {
            double rate = factor * border;
            String name = round("beyond-") + Levels.text(rate);
            Level level = levels.measure(place, rate, duration, name);
            if (begunAnew < ANEW_MAX
                    && level.held()
                    && levels.measure(place, rate, duration, name + "-again").held()) {
                return rate;
            }
            if (isWalled(level)) {
                wall = level.index();
                return 0;
            }
        }
        return 0;
    }

    private static boolean isWalled(Level level) {
        return level.trial().diagnosis().verdict() == Verdict.NAMED;
    }
}
