package wallfinder.lab.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Objective;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;

class MarginTest {
    private static final Objective P99 = Objective.parse("p99 < 50ms");

    /// 1,000 answers, of which so many are good and take 5 ms; the others are bad ones.
    private static LoadOutcome answers(long good) {
        Histogram times = new Histogram(3);
        times.recordValueWithCount(5_000_000, Math.max(1, good));
        if (good == 0) {
            times.reset();
        }
        return SampleLoad.of(10, 10, 1_000, 0, times);
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
}
