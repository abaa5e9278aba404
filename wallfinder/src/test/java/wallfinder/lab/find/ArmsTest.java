package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.LoadOutcome;

/// What the pairs of both arms come to, and when they have decided it.
class ArmsTest {
    private static final int PAIRS_MAX = 5;
    private static final double[] NOISE = {1.00, 1.01, 0.99, 1.005, 0.995};

    /// Pairs of loads with a little noise.
    ///
    /// @param perSecond without and with, p99 in milliseconds and failures likewise
    private static Arms arms(int pairs, double[] perSecond, double[] p99, long[] failed) {
        Arms arms = new Arms();
        for (int i = 0; i < pairs; i++) {
            double noise = NOISE[i % NOISE.length];
            arms.add(
                    SimulatedTrials.load(8, perSecond[0] * noise, p99[0] / noise, failed[0]),
                    SimulatedTrials.load(8, perSecond[1] / noise, p99[1] * noise, failed[1]));
        }
        return arms;
    }

    private static Arms rates(int pairs, double before, double after) {
        return arms(pairs, new double[] {before, after}, new double[] {10, 10}, new long[2]);
    }

    private static PairVerdict judged(Arms arms, Harm harm) {
        return PairVerdict.of(arms, harm, PAIRS_MAX, new Random(1));
    }

    @Test
    void twice_the_rate_is_kept_and_decided_by_three_pairs() {
        PairVerdict verdict = judged(rates(3, 1_000, 2_000), Harm.THROUGHPUT);
        assertThat(verdict.kept()).isTrue();
        assertThat(verdict.decided()).isTrue();
        assertThat(verdict.throughput().ratio()).isCloseTo(2, within(0.05));
        assertThat(verdict.before().perSecond()).isCloseTo(1_000, within(20.0));
    }

    @Test
    void the_same_rate_is_not_kept_and_decided_as_soon_as_no_gain_is_left_in_the_interval() {
        PairVerdict verdict = judged(rates(5, 1_000, 1_000), Harm.THROUGHPUT);
        assertThat(verdict.kept()).isFalse();
        assertThat(verdict.decided()).isTrue();
    }

    @Test
    void a_tail_that_is_half_as_long_is_kept_and_one_that_stays_is_not() {
        double[] same = {1_000, 1_000};
        Arms shorter = arms(5, same, new double[] {100, 50}, new long[2]);
        assertThat(judged(shorter, Harm.LATENCY).kept()).isTrue();
        Arms stays = arms(5, same, new double[] {100, 100}, new long[2]);
        assertThat(judged(stays, Harm.LATENCY).kept()).isFalse();
        assertThat(judged(stays, Harm.LATENCY).decided()).isTrue();
    }

    @Test
    void errors_that_go_are_kept_unless_the_rate_falls() {
        long[] gone = {500, 0};
        double[] p99 = {10, 10};
        Arms mends = arms(5, new double[] {1_000, 1_000}, p99, gone);
        assertThat(judged(mends, Harm.ERRORS).kept()).isTrue();
        Arms slower = arms(5, new double[] {1_000, 500}, p99, gone);
        assertThat(judged(slower, Harm.ERRORS).kept()).isFalse();
        assertThat(judged(slower, Harm.ERRORS).decided()).isTrue();
    }

    @Test
    void the_side_of_an_even_number_of_trials_has_the_mean_of_the_middle_two() {
        Arms arms = new Arms();
        for (int perSecond : new int[] {100, 400, 300, 200}) {
            LoadOutcome load = SimulatedTrials.load(1, perSecond, 1, 3);
            arms.add(load, load);
        }
        assertThat(Arms.side(arms.with()).perSecond()).isEqualTo(250);
        assertThat(Arms.side(arms.with()).errors()).isEqualTo(12);
        assertThat(Arms.side(arms.with()).requests()).isEqualTo(2_000 + 12);
    }

    @Test
    void five_looks_share_an_error_rate_of_five_in_a_hundred() {
        assertThat(EarlyStop.errorRatePerLook(3)).isEqualTo(0.05);
        assertThat(EarlyStop.errorRatePerLook(5)).isCloseTo(0.0227, within(0.0005));
        assertThat(EarlyStop.looks(2, 5)).isFalse();
        assertThat(EarlyStop.looks(3, 5)).isTrue();
        assertThat(EarlyStop.looks(2, 2)).isTrue();
    }
}
