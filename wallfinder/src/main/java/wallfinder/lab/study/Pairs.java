package wallfinder.lab.study;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.lab.find.Bootstrap;

/// The trials of two cells that are compared, pair by pair.
record Pairs(List<TrialFigures> before, List<TrialFigures> after) {
    /// The same figures give the same resamples.
    private static final long SEED = 20_260_101L;

    /// Joins several lists of pairs.
    static Pairs all(List<Pairs> several) {
        List<TrialFigures> before = new ArrayList<>();
        List<TrialFigures> after = new ArrayList<>();
        several.forEach(pairs -> {
            before.addAll(pairs.before());
            after.addAll(pairs.after());
        });
        return new Pairs(before, after);
    }

    /// Answers a second, after against before; null if unknown.
    @Nullable RatioInterval throughput() {
        return ratio(TrialFigures::divided);
    }

    /// The 99th percentile of the response times.
    @Nullable RatioInterval p99() {
        return ratio(TrialFigures::p99Nanos);
    }

    /// The figure that ranks cells: connects a second for held connections, else the throughput.
    @Nullable RatioInterval speed() {
        boolean held = before.stream().anyMatch(figures -> figures.held() != null);
        return held ? connects() : throughput();
    }

    /// Connects a second of held connections.
    @Nullable RatioInterval connects() {
        return ratio(figures -> figures.held() == null ? 0 : figures.held().connectsPerSecond());
    }

    private @Nullable RatioInterval ratio(ToDoubleFunction<TrialFigures> figure) {
        return ratio(
                before.stream().mapToDouble(figure).toArray(),
                after.stream().mapToDouble(figure).toArray());
    }

    /// The ratio over the pairs with two known figures; null for fewer than two pairs.
    private static @Nullable RatioInterval ratio(double[] before, double[] after) {
        int[] known =
                IntStream.range(0, before.length)
                        .filter(i -> before[i] > 0 && after[i] > 0)
                        .toArray();
        return known.length < 2
                ? null
                : Bootstrap.ratio(
                        Arrays.stream(known).mapToDouble(i -> before[i]).toArray(),
                        Arrays.stream(known).mapToDouble(i -> after[i]).toArray(),
                        new Random(SEED));
    }

    /// The interval of the figures' geometric mean; null for fewer than two figures.
    static @Nullable RatioInterval spread(double[] figures) {
        double[] ones = new double[figures.length];
        Arrays.fill(ones, 1);
        return ratio(ones, figures);
    }
}
