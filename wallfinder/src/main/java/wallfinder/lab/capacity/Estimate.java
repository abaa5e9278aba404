package wallfinder.lab.capacity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import wallfinder.diagnosis.StudentT;
import wallfinder.observation.Quantile;
import wallfinder.record.CapacityRecord;

/// The rate at which the margin is zero, from trials near it.
///
/// The margin grows evenly with the logarithm of the rate; the slope comes from the trials whose
/// margin is not far from zero. Slow answers come in groups, so their share differs between two
/// equal trials by a factor of two or three. The mean of the shares is right on average, but the
/// mean of their logarithms is not. So the height of the margin comes from the mean of the shares,
/// each divided by what the slope expects at its rate. The jackknife over the trials that belong
/// together gives the error, and corrects the bias that the logarithm of a mean still has.
///
/// @param slope how fast the margin grows with the logarithm of the rate
/// @param rough what no single trial moves far, for the next pair
/// @param disturbed trials near the border that do not count
record Estimate(
        double perSecond,
        double low,
        double high,
        double slope,
        double rough,
        List<Level> disturbed) {
    private static final double TAIL = 0.025;

    /// The share grows at least with this power of the rate.
    private static final double SLOPE_MIN = 1;

    private static final double SLOPE_MAX = 200;

    /// A share this many times the expected one is a disturbance, not chance: a logarithm.
    private static final double DISTURBED = Math.log(20);

    /// Where the expected share differs more from the allowed one, its growth is another.
    private static final double MARGIN_NEAR = 1.2;

    /// Levels within this of the border give the slope.
    private static final double SLOPE_NEAR = 2;

    private static final double AROUND = 0.16;

    /// That of four trials at 5 % from the border.
    private static final double BEFORE_WEIGHT = 4 * 0.05 * 0.05;

    /// For few and skewed shares the jackknife's error is too small. With this factor about 93 of
    /// 100 intervals have the rate of simulated queues.
    private static final double SKEWED = 1.4;

    private static final int GROUPS_MIN = 4;

    /// Trials that share their services and their time count as one.
    record Group(List<Level> levels) {}

    /// @param border where the border was assumed before
    static Estimate of(List<Group> groups, List<Pair> pairs, double border, double before) {
        double slope = slope(groups, Math.log(border), before);
        double middle =
                groups.stream()
                        .flatMap(group -> group.levels().stream())
                        .mapToDouble(Level::logRate)
                        .average()
                        .orElseThrow();
        double rough = rough(groups, slope);
        List<Group> near = near(groups, rough, slope);
        List<Level> disturbed = disturbed(groups, rough, slope);
        int n = near.size();
        if (n < GROUPS_MIN) {
            return contradicted(pairs, slope, rough, disturbed);
        }
        double all = border(near, middle, slope);
        double[] without = new double[n];
        for (int i = 0; i < n; i++) {
            List<Group> others = new ArrayList<>(near);
            others.remove(i);
            without[i] = border(others, middle, slope);
        }
        double mean = Arrays.stream(without).average().orElseThrow();
        double squares = Arrays.stream(without).map(one -> (one - mean) * (one - mean)).sum();
        double found = n * all - (n - 1) * mean;
        double error = SKEWED * Math.sqrt(squares * (n - 1) / n);
        double away = StudentT.quantile(TAIL, n - 1) * error;
        double low = Math.exp(found - away);
        double high = Math.exp(found + away);
        double perSecond =
                isBetween(pairs, Math.exp(found)) ? Math.exp(found) : leastContradicted(pairs);
        return low <= perSecond && perSecond <= high
                ? new Estimate(perSecond, low, high, slope, Math.exp(rough), disturbed)
                : contradicted(pairs, slope, rough, disturbed);
    }

    /// Where the trials give no interval.
    private static Estimate contradicted(
            List<Pair> pairs, double slope, double rough, List<Level> disturbed) {
        double perSecond = pairs.isEmpty() ? Math.exp(rough) : leastContradicted(pairs);
        return step(pairs, slope)
                .orElse(
                        new Estimate(
                                perSecond,
                                0,
                                Double.POSITIVE_INFINITY,
                                slope,
                                Math.exp(rough),
                                disturbed));
    }

    /// Whether the pairs surround a rate. Beyond them it would be a guess.
    private static boolean isBetween(List<Pair> pairs, double perSecond) {
        return pairs.isEmpty()
                || (pairs.stream().anyMatch(pair -> pair.below().perSecond() <= perSecond)
                        && pairs.stream().anyMatch(pair -> pair.above().perSecond() >= perSecond));
    }

    /// By least squares over the trials around the border. Farther away the slope is another: far
    /// below, the share is that of the slowest answers without load, and far above nearly all
    /// answers are slow. Few trials say little, so the slope before counts like some of them.
    private static double slope(List<Group> groups, double border, double before) {
        List<Level> some =
                groups.stream()
                        .flatMap(group -> group.levels().stream())
                        .filter(l -> Math.abs(l.logRate() - border) < AROUND)
                        .filter(l -> Math.abs(l.margin()) < SLOPE_NEAR)
                        .toList();
        double x = some.stream().mapToDouble(Level::logRate).average().orElse(0);
        double y = some.stream().mapToDouble(Level::margin).average().orElse(0);
        double both = before * BEFORE_WEIGHT;
        double squares = BEFORE_WEIGHT;
        for (Level level : some) {
            both += (level.logRate() - x) * (level.margin() - y);
            squares += (level.logRate() - x) * (level.logRate() - x);
        }
        return Math.clamp(both / squares, SLOPE_MIN, SLOPE_MAX);
    }

    /// The middle of what each trial says by itself, which no single trial moves far.
    private static double rough(List<Group> groups, double slope) {
        return Quantile.median(
                groups.stream()
                        .flatMap(group -> group.levels().stream())
                        .mapToDouble(level -> level.logRate() - level.nearMargin() / slope)
                        .toArray());
    }

    /// @return the logarithm of the rate
    private static double border(List<Group> groups, double middle, double slope) {
        double share =
                groups.stream()
                        .flatMap(group -> group.levels().stream())
                        .mapToDouble(l -> Math.exp(l.nearMargin() - slope * (l.logRate() - middle)))
                        .average()
                        .orElseThrow();
        return middle - Math.log(share) / slope;
    }

    /// Without trials that are far from the border, or were disturbed.
    private static List<Group> near(List<Group> groups, double border, double slope) {
        return groups.stream()
                .map(group ->
                        new Group(
                                group.levels().stream()
                                        .filter(level -> fits(level, border, slope))
                                        .toList()))
                .filter(group -> !group.levels().isEmpty())
                .toList();
    }

    private static List<Level> disturbed(List<Group> groups, double border, double slope) {
        return groups.stream()
                .flatMap(group -> group.levels().stream())
                .filter(level -> isNear(level, border, slope) && !fits(level, border, slope))
                .toList();
    }

    private static boolean fits(Level level, double border, double slope) {
        double expected = slope * (level.logRate() - border);
        return isNear(level, border, slope) && level.margin() - expected < DISTURBED;
    }

    /// @param border the logarithm of its rate
    static boolean isNear(Level level, double border, double slope) {
        return Math.abs(slope * (level.logRate() - border)) < MARGIN_NEAR;
    }

    /// If nothing is near the border, and no trial held the objective at a higher rate than one
    /// that missed it, the border is a step between the two.
    private static Optional<Estimate> step(List<Pair> pairs, double slope) {
        double low = Double.NEGATIVE_INFINITY;
        double high = Double.POSITIVE_INFINITY;
        for (Level level : levels(pairs)) {
            low = level.held() ? Math.max(low, level.perSecond()) : low;
            high = level.held() ? high : Math.min(high, level.perSecond());
        }
        boolean known = pairs.size() >= GROUPS_MIN && low > 0 && Double.isFinite(high);
        double middle = Math.sqrt(low * high);
        return known && low < high
                ? Optional.of(new Estimate(middle, low, high, slope, middle, List.of()))
                : Optional.empty();
    }

    private static List<Level> levels(List<Pair> pairs) {
        return pairs.stream().flatMap(pair -> Stream.of(pair.below(), pair.above())).toList();
    }

    /// The rate that the fewest trials contradict: those below it that missed the objective, and
    /// those above it that held it. It is never beyond the rates that were measured.
    private static double leastContradicted(List<Pair> pairs) {
        List<Level> levels =
                levels(pairs).stream()
                        .sorted(Comparator.comparingDouble(Level::perSecond))
                        .toList();
        double[] rates = levels.stream().mapToDouble(Level::perSecond).distinct().toArray();
        double[] between = new double[rates.length - 1];
        long[] contradictions = new long[between.length];
        for (int i = 0; i < between.length; i++) {
            double rate = Math.sqrt(rates[i] * rates[i + 1]);
            between[i] = rate;
            contradictions[i] =
                    levels.stream().filter(l -> l.held() == l.perSecond() > rate).count();
        }
        long fewest = Arrays.stream(contradictions).min().orElseThrow();
        return Quantile.median(
                IntStream.range(0, between.length)
                        .filter(i -> contradictions[i] == fewest)
                        .mapToDouble(i -> between[i])
                        .toArray());
    }

    /// Whether the interval is wider than this share of the rate.
    boolean widerThan(double share) {
        return high - low > share * perSecond;
    }

    /// Two trials one after the other, in the same services.
    record Pair(Level below, Level above) {
        CapacityRecord.Pair recorded() {
            return new CapacityRecord.Pair(below.side(), above.side());
        }

        Group group() {
            return new Group(List.of(below, above));
        }
    }
}
