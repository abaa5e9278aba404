package wallfinder.lab.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.Objective;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.trial.Objectives;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;
import wallfinder.record.Condition;
import wallfinder.record.RunRecord;

class MarginTest {
    private static final Objective P99 = Objective.parse("p99 < 50ms");

    /// 1,000 answers, of which so many are good and take 5 ms; the others are bad ones.
    private static LoadOutcome answers(long good) {
        return SampleLoad.refusing(allGood(good, 5), 1_000 - good);
    }

    private static LoadOutcome.Requests allGood(long answers, double millis) {
        Histogram times = new Histogram(3);
        if (answers > 0) {
            times.recordValueWithCount(Math.round(millis * 1e6), answers);
        }
        return SampleLoad.of(10, 10, answers, 0, times);
    }

    @Test
    void a_margin_is_the_logarithm_of_the_share_over_the_allowed_one() {
        assertThat(Margin.of(P99, answers(990))).isCloseTo(0, within(1e-9));
        assertThat(Margin.of(P99, answers(960))).isCloseTo(Math.log(4), within(1e-9));
    }

    /// As a service that sheds its load by fast answers of status 503.
    @Test
    void bad_answers_are_not_in_time_however_fast_they_are() {
        assertThat(Margin.of(P99, answers(500))).isPositive();
        assertThat(Margin.of(P99, answers(0))).isPositive();
        assertThat(Margin.of(P99, answers(1_000))).isNegative();
    }

    @Test
    void without_failures_even_a_bound_of_zero_holds() {
        Objective none = Objective.parse("p99 < 50ms, errors <= 0%");
        assertThat(Margin.of(none, answers(1_000))).isNegative();
        Histogram times = new Histogram(3);
        times.recordValueWithCount(5_000_000, 999);
        assertThat(Margin.of(none, SampleLoad.of(10, 10, 999, 1, times))).isPositive();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "p99 < 50ms",
                "p50 < 5s",
                "p99.9 < 50ms",
                "mean < 50ms",
                "max < 50ms",
                "errors < 1%",
                "p99 < 50ms, errors < 20%"
            })
    void a_margin_agrees_with_the_condition_of_a_single_load(String text) {
        Objective objective = Objective.parse(text);
        List<LoadOutcome> loads =
                List.of(
                        answers(995),
                        answers(900),
                        answers(400),
                        SampleLoad.hung(allGood(1_000, 5), 2),
                        SampleLoad.hung(allGood(1_000, 5), 200),
                        SampleLoad.hung(allGood(1_000, 3_000), 900),
                        allGood(1_000, 80));
        assertThat(loads)
                .allSatisfy(load ->
                        assertThat(Margin.of(objective, load) <= 0)
                                .isEqualTo(
                                        Objectives.check(objective, load, SimulatedTrials.none())
                                                .stream()
                                                .allMatch(Condition::met)));
    }

    /// The last second of 10 is still open when the drain of 2 s ends.
    @Test
    void requests_that_are_open_at_the_end_may_still_be_in_time_if_others_took_as_long() {
        LoadOutcome load = SampleLoad.hung(allGood(900, 3_000), 100);
        assertThat(Margin.of(Objective.parse("p99 < 5s"), load)).isNegative();
        assertThat(Margin.of(Objective.parse("p99 < 2s"), load)).isPositive();
        assertThat(Margin.of(Objective.parse("p99 < 5s"), SampleLoad.hung(allGood(900, 5), 100)))
                .isPositive();
    }

    private static String neverHeld(LoadOutcome load) {
        RunRecord.Trial trial = SimulatedTrials.trial("t", load, SimulatedTrials.none(), false);
        return Capacity.neverHeld(new Level(0, 25, trial, 1));
    }

    @Test
    void a_search_that_never_held_says_which_rate_was_asked() {
        assertThat(neverHeld(allGood(1_000, 80)))
                .isEqualTo("even 25.0 requests a second miss the objective");
        assertThat(neverHeld(SampleLoad.hung(allGood(0, 5), 250)))
                .isEqualTo("no request got an answer, at 25.0 requests a second");
    }
}
