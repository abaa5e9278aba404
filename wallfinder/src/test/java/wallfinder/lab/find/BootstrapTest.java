package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.RatioInterval.Effect;

final class BootstrapTest {
    private static final int STUDIES = 600;

    @Test
    void a_clear_gain_is_an_effect_and_its_interval_contains_the_ratio() {
        RatioInterval interval =
                ratio(
                        new double[] {467, 455, 480, 471, 460},
                        new double[] {3_567, 3_600, 3_400, 3_550, 3_610});

        assertThat(interval.ratio()).isBetween(7.0, 8.0);
        assertThat(interval.low()).isBetween(6.5, interval.ratio());
        assertThat(interval.high()).isBetween(interval.ratio(), 8.5);
        assertThat(interval.pairs()).isEqualTo(5);
        assertThat(interval.effect()).isEqualTo(Effect.MORE);
        assertThat(interval.inverse().effect()).isEqualTo(Effect.LESS);
    }

    @Test
    void a_difference_within_the_noise_is_no_effect() {
        RatioInterval interval =
                ratio(
                        new double[] {246, 250, 244, 251, 247},
                        new double[] {248, 245, 249, 246, 250});

        assertThat(interval.effect()).isEqualTo(Effect.NONE);
        assertThat(interval.inverse().effect()).isEqualTo(Effect.NONE);
    }

    @Test
    void drift_that_hits_both_trials_of_a_pair_cancels() {
        RatioInterval interval =
                ratio(
                        new double[] {100, 200, 400, 800, 1_600},
                        new double[] {110, 221, 439, 881, 1_759});

        assertThat(interval.effect()).isEqualTo(Effect.MORE);
        assertThat(interval.ratio()).isCloseTo(1.1, within(0.01));
    }

    @Test
    void one_outlier_among_five_pairs_prevents_a_verdict() {
        RatioInterval interval =
                ratio(
                        new double[] {100, 100, 100, 100, 100},
                        new double[] {104, 103, 105, 104, 60});

        assertThat(interval.effect()).isEqualTo(Effect.NONE);
    }

    @Test
    void exchanging_before_and_after_gives_the_inverse() {
        double[] before = {10, 12, 11, 13, 9};
        double[] after = {21, 20, 25, 22, 23};
        RatioInterval there = ratio(before, after);
        RatioInterval back = ratio(after, before).inverse();

        assertThat(back.ratio()).isCloseTo(there.ratio(), within(1e-9));
        assertThat(back.low()).isCloseTo(there.low(), within(0.05));
        assertThat(back.high()).isCloseTo(there.high(), within(0.05));
    }

    @Test
    void the_same_seed_gives_the_same_interval() {
        double[] before = {10, 12, 11};
        double[] after = {21, 20, 25};

        assertThat(ratio(before, after)).isEqualTo(ratio(before, after));
    }

    @Test
    void pairs_that_agree_exactly_have_an_interval_without_width() {
        RatioInterval interval = ratio(new double[] {1, 2, 3}, new double[] {2, 4, 6});

        assertThat(interval.low()).isCloseTo(2, within(1e-9));
        assertThat(interval.high()).isCloseTo(2, within(1e-9));
    }

    @Test
    void a_single_pair_and_a_figure_that_is_not_positive_are_refused() {
        assertThatThrownBy(() -> ratio(new double[] {1}, new double[] {2}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ratio(new double[] {1, 2}, new double[] {2, 0}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ratio(new double[] {-1, 2}, new double[] {-2, 3}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /// The bounds are about three standard errors of 600 studies around 95 %.
    @ParameterizedTest
    @ValueSource(ints = {3, 5, 10, 20})
    void normal_noise_is_covered_in_95_of_100_studies(int pairs) {
        assertThat(coverage(pairs, Random::nextGaussian)).isBetween(0.92, 0.98);
    }

    @Test
    void heavy_tailed_noise_is_covered_too() {
        assertThat(coverage(5, BootstrapTest::studentWithThreeDegrees)).isBetween(0.92, 0.985);
    }

    /// The share of simulated studies whose interval contains the true ratio, 1.
    private static double coverage(int pairs, ToDoubleFunction<Random> noise) {
        Random random = new Random(42);
        int covered = 0;
        for (int study = 0; study < STUDIES; study++) {
            double[] before = new double[pairs];
            double[] after = new double[pairs];
            for (int i = 0; i < pairs; i++) {
                before[i] = 1_000 * (1 + random.nextDouble());
                after[i] = before[i] * Math.exp(0.1 * noise.applyAsDouble(random));
            }
            RatioInterval interval = Bootstrap.ratio(before, after, new SplittableRandom(study));
            covered += interval.effect() == Effect.NONE ? 1 : 0;
        }
        return covered / (double) STUDIES;
    }

    @Test
    void groups_that_are_no_pairs_are_covered_too_whatever_their_size_and_spread() {
        assertThat(coverageOfGroups(3, 3, 0.1)).isBetween(0.92, 0.99);
        assertThat(coverageOfGroups(5, 5, 0.1)).isBetween(0.92, 0.98);
        assertThat(coverageOfGroups(4, 9, 0.3)).isBetween(0.92, 0.98);
        assertThat(coverageOfGroups(9, 4, 0.3)).isBetween(0.92, 0.985);
    }

    /// The share of simulated pairs of runs whose interval contains the true ratio, 1.
    ///
    /// @param spread of the second group; the first one has 0.1
    private static double coverageOfGroups(int before, int after, double spread) {
        Random random = new Random(43);
        int covered = 0;
        for (int study = 0; study < STUDIES; study++) {
            RatioInterval interval =
                    Bootstrap.unpaired(
                            group(before, 0.1, random),
                            group(after, spread, random),
                            new SplittableRandom(study));
            covered += interval.low() <= 1 && interval.high() >= 1 ? 1 : 0;
        }
        return covered / (double) STUDIES;
    }

    private static double[] group(int size, double spread, Random random) {
        double[] group = new double[size];
        for (int i = 0; i < size; i++) {
            group[i] = 1_000 * Math.exp(spread * random.nextGaussian());
        }
        return group;
    }

    @Test
    void the_order_of_the_trials_of_groups_does_not_matter_as_it_does_for_pairs() {
        double[] before = {100, 200, 400, 800, 1_600};
        double[] after = {110, 221, 439, 881, 1_759};
        RatioInterval pairs = ratio(before, after);
        RatioInterval groups = Bootstrap.unpaired(before, after, new SplittableRandom(1));

        assertThat(pairs.low()).isGreaterThan(1.09);
        assertThat(groups.ratio()).isCloseTo(pairs.ratio(), within(1e-9));
        assertThat(groups.low()).isLessThan(0.5);
        assertThat(groups.isUnclear()).isTrue();
    }

    @Test
    void groups_without_any_spread_have_an_interval_without_width() {
        RatioInterval interval =
                Bootstrap.unpaired(
                        new double[] {5, 5}, new double[] {10, 10, 10}, new SplittableRandom(1));

        assertThat(interval.low()).isCloseTo(2, within(1e-9));
        assertThat(interval.high()).isCloseTo(2, within(1e-9));
        assertThat(interval.pairs()).isEqualTo(2);
    }

    private static double studentWithThreeDegrees(Random random) {
        double squares = 0;
        for (int i = 0; i < 3; i++) {
            squares += Math.pow(random.nextGaussian(), 2);
        }
        return random.nextGaussian() / Math.sqrt(squares / 3);
    }

    private static RatioInterval ratio(double[] before, double[] after) {
        return Bootstrap.ratio(before, after, new SplittableRandom(1));
    }
}
