package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.Harm;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;

final class PairVerdictTest {
    private static final int PAIRS = 5;
    private static final double SECONDS = 5;

    private final Arms arms = new Arms();

    private static LoadOutcome outcome(long good, long failed, double millis) {
        Histogram times = new Histogram(3);
        times.recordValueWithCount((long) (millis * 1e6), Math.max(1, good));
        return SampleLoad.of(64, SECONDS, good, failed, times);
    }

    /// The verdict after this many pairs.
    private PairVerdict verdict(Harm harm, int pairs, LoadOutcome[] without, LoadOutcome[] with) {
        for (int pair = 0; pair < pairs; pair++) {
            arms.add(without[pair % without.length], with[pair % with.length]);
        }
        return PairVerdict.of(arms, harm, PAIRS, 1, new Random(1));
    }

    private static LoadOutcome[] several(long good, long failed, double millis) {
        return new LoadOutcome[] {
            outcome(good, failed, millis),
            outcome(good + good / 100, failed, millis * 1.01),
            outcome(good - good / 100, failed, millis * 0.99)
        };
    }

    /// Of seven remedies without effect, one seems to help by chance more often than one of one.
    @Test
    void the_interval_is_wider_if_several_remedies_are_tried() {
        for (long after : new long[] {10_500, 11_000, 12_000, 12_500, 13_000}) {
            arms.add(outcome(10_000, 0, 5), outcome(after, 0, 5));
        }
        PairVerdict one = PairVerdict.of(arms, Harm.THROUGHPUT, PAIRS, 1, new Random(1));
        PairVerdict ofSeven = PairVerdict.of(arms, Harm.THROUGHPUT, PAIRS, 7, new Random(1));
        assertThat(ofSeven.throughput().ratio()).isEqualTo(one.throughput().ratio());
        assertThat(ofSeven.throughput().low()).isLessThan(0.99 * one.throughput().low());
        assertThat(ofSeven.throughput().high()).isGreaterThan(1.01 * one.throughput().high());
    }

    private static void assertDecided(boolean kept, PairVerdict verdict) {
        assertThat(verdict.kept()).isEqualTo(kept);
        assertThat(verdict.decided()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {5_000, 10_000})
    void without_errors_nothing_is_kept_whether_the_rate_falls_or_not(int after) {
        PairVerdict verdict =
                verdict(Harm.ERRORS, PAIRS, several(10_000, 0, 5), several(after, 0, 5));
        assertThat(verdict.kept()).isFalse();
    }

    @Test
    void fewer_errors_at_half_the_rate_are_not_kept() {
        assertDecided(
                false, verdict(Harm.ERRORS, PAIRS, several(10_000, 500, 5), several(5_000, 0, 5)));
    }

    @Test
    void fewer_errors_at_the_same_rate_are_kept_after_three_pairs() {
        assertDecided(
                true, verdict(Harm.ERRORS, 3, several(10_000, 500, 5), several(10_000, 0, 5)));
    }

    /// The shares differ so much that their interval says nothing.
    @Test
    void fewer_errors_are_kept_if_each_of_five_pairs_shows_them_despite_large_differences() {
        LoadOutcome[] without = {outcome(1_000, 9_000, 5), outcome(9_980, 20, 5)};
        LoadOutcome[] with = {outcome(10_000, 0, 5), outcome(9_991, 9, 5)};
        assertThat(verdict(Harm.ERRORS, 4, without, with).kept()).isFalse();
        arms.add(without[0], with[0]);
        assertThat(PairVerdict.of(arms, Harm.ERRORS, PAIRS, 1, new Random(1)).kept()).isTrue();
    }

    @Test
    void a_pair_that_keeps_more_than_half_of_its_errors_rejects_the_remedy() {
        LoadOutcome[] without = {outcome(1_000, 9_000, 5), outcome(9_980, 20, 5)};
        LoadOutcome[] with = {outcome(10_000, 0, 5), outcome(9_989, 11, 5)};
        assertThat(verdict(Harm.ERRORS, PAIRS, without, with).kept()).isFalse();
    }

    @Test
    void a_pair_with_few_errors_without_the_remedy_rejects_it() {
        LoadOutcome[] without = {outcome(1_000, 9_000, 5), outcome(9_991, 9, 5)};
        LoadOutcome[] with = {outcome(10_000, 0, 5), outcome(9_996, 4, 5)};
        assertThat(verdict(Harm.ERRORS, PAIRS, without, with).kept()).isFalse();
    }

    @Test
    void one_reset_among_many_more_answers_does_not_reject_a_gain() {
        assertDecided(true, verdict(Harm.THROUGHPUT, 3, several(300, 0, 5), several(10_000, 1, 5)));
    }

    @Test
    void a_gain_that_fails_a_hundredth_of_the_requests_is_not_kept() {
        PairVerdict verdict =
                verdict(Harm.THROUGHPUT, PAIRS, several(1_000, 0, 5), several(2_000, 20, 5));
        assertThat(verdict.kept()).isFalse();
    }

    @Test
    void no_gain_is_decided_without_the_remaining_pairs() {
        assertDecided(false, verdict(Harm.THROUGHPUT, 3, several(1_000, 0, 5), several(700, 0, 5)));
    }

    @Test
    void a_shorter_tail_is_kept_and_a_longer_one_is_not() {
        assertThat(verdict(Harm.LATENCY, 3, several(1_000, 0, 80), several(1_000, 0, 8)).kept())
                .isTrue();
        Arms longer = new Arms();
        for (LoadOutcome outcome : several(1_000, 0, 8)) {
            longer.add(outcome, outcome(1_000, 0, 80));
        }
        assertDecided(false, PairVerdict.of(longer, Harm.LATENCY, PAIRS, 1, new Random(1)));
    }

    @ParameterizedTest
    @EnumSource(Harm.class)
    void two_pairs_decide_nothing(Harm harm) {
        PairVerdict verdict = verdict(harm, 2, several(1_000, 500, 80), several(10_000, 0, 8));
        assertThat(verdict.decided()).isFalse();
        assertThat(verdict.kept()).isFalse();
    }

    @Test
    void one_failure_in_each_trial_may_be_chance() {
        PairVerdict verdict = verdict(Harm.ERRORS, 3, several(300, 1, 5), several(300, 0, 5));
        assertThat(verdict.kept()).isFalse();
    }

    @Test
    void a_trial_without_answers_counts_as_one_answer() {
        PairVerdict verdict = verdict(Harm.THROUGHPUT, 3, several(0, 0, 5), several(10_000, 0, 5));
        assertThat(verdict.throughput().ratio()).isBetween(9_000.0, 11_000.0);
        assertThat(verdict.before().perSecond()).isZero();
    }
}
