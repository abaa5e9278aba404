package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.lab.SimulatedTrials;
import wallfinder.observation.LoadOutcome;

/// The result of the pairs of both arms, and when it is decided.
class ArmsTest {
    private static final int PAIRS_MAX = 5;
    private static final double[] NOISE = {1.00, 1.01, 0.99, 1.005, 0.995};

    /// Pairs of loads with a little noise.
    ///
    /// @param perSecond the rates without and with the remedy; `p99`, in milliseconds, and `failed`
    ///   have the same order
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
        return PairVerdict.of(arms, harm, PAIRS_MAX, 1, new Random(1));
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
    void the_same_rate_is_not_kept_and_decided_once_the_interval_excludes_a_gain() {
        PairVerdict verdict = judged(rates(5, 1_000, 1_000), Harm.THROUGHPUT);
        assertThat(verdict.kept()).isFalse();
        assertThat(verdict.decided()).isTrue();
    }

    @Test
    void a_tail_that_stays_as_long_is_not_kept_and_decided() {
        Arms stays = arms(5, new double[] {1_000, 1_000}, new double[] {100, 100}, new long[2]);
        assertThat(judged(stays, Harm.LATENCY).kept()).isFalse();
        assertThat(judged(stays, Harm.LATENCY).decided()).isTrue();
    }

    @Test
    void the_median_of_an_even_number_of_trials_is_the_mean_of_the_middle_two() {
        Arms arms = new Arms();
        for (int perSecond : new int[] {100, 400, 300, 200}) {
            LoadOutcome load = SimulatedTrials.load(1, perSecond, 1, 3);
            arms.add(load, load);
        }
        assertThat(Arms.side(arms.with()).perSecond()).isEqualTo(250);
        assertThat(Arms.side(arms.with()).errors()).isEqualTo(12);
        assertThat(Arms.side(arms.with()).requests()).isEqualTo(2_000 + 12);
    }
}
