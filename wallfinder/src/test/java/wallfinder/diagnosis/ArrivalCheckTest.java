package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;

class ArrivalCheckTest {
    private static final double PER_SECOND = 500;
    private static final int GAPS = 5_000;

    private static ArrivalCheck check(Arrival.Open arrival, DoubleUnaryOperator gapSeconds) {
        SplittableRandom random = new SplittableRandom(3);
        Histogram gaps = new Histogram(60_000_000_000L, 3);
        for (int i = 0; i < GAPS; i++) {
            gaps.recordValue(Math.round(1e9 * gapSeconds.applyAsDouble(random.nextDouble())));
        }
        LoadOutcome.Loop.Open loop = new LoadOutcome.Loop.Open(arrival, 0, new Histogram(3), gaps);
        return ArrivalCheck.of(SampleLoad.open(10, GAPS, LoadOutcome.Times.NONE, loop))
                .orElse(null);
    }

    private static double exponential(double uniform) {
        return -Math.log(1 - uniform) / PER_SECOND;
    }

    @Test
    void exponential_gaps_are_a_poisson_process() {
        ArrivalCheck check =
                check(new Arrival.Poisson(PER_SECOND, 1L), ArrivalCheckTest::exponential);
        assertThat(check.gaps()).isEqualTo(GAPS);
        assertThat(check.distance()).isLessThan(1.63 / Math.sqrt(GAPS));
        assertThat(check.asAsked()).isTrue();
        assertThat(check.caveat()).isEmpty();
    }

    @Test
    void a_generator_that_wakes_once_in_a_while_sends_another_process() {
        ArrivalCheck check =
                check(
                        new Arrival.Poisson(PER_SECOND, 1L),
                        uniform -> Math.rint(exponential(uniform) * 400) / 400);
        assertThat(check.distance()).isGreaterThan(0.1);
        assertThat(check.asAsked()).isFalse();
        assertThat(check.caveat())
                .hasValueSatisfying(caveat -> assertThat(caveat.id()).isEqualTo("not-poisson"));
    }

    @Test
    void a_process_of_another_rate_is_another_process() {
        assertThat(
                        check(
                                        new Arrival.Poisson(0.8 * PER_SECOND, 1L),
                                        ArrivalCheckTest::exponential)
                                .asAsked())
                .isFalse();
    }

    @Test
    void evenly_spaced_requests_are_not_examined() {
        assertThat(check(new Arrival.Rate(PER_SECOND), uniform -> 1 / PER_SECOND)).isNull();
    }
}
