package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.experiment.Arrival;

/// Pacers, schedules and paces at single values that are computed by hand.
class PacerValuesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /// The first numbers of SplitMix64 with seed 0, as in other implementations.
    @ParameterizedTest
    @CsvSource({"1, E220A8397B1DCDAF", "2, 6E789E6AA1B965F4", "3, 06C45D188009454F"})
    void bits_are_mixed_as_by_SplitMix64(long step, String expected) {
        assertThat(SplitMix64.mix(step * GOLDEN)).isEqualTo(Long.parseUnsignedLong(expected, 16));
    }

    @Test
    void a_distance_of_a_poisson_process_is_the_inverse_of_its_distribution_at_a_mixed_number() {
        long seed = 7;
        Pacer pacer = new Pacer.Poisson(1_000, seed);
        double expected = 0;
        for (long number = 0; number < 5; number++) {
            double uniform =
                    ((SplitMix64.mix(seed + number * GOLDEN) >>> 11) + 1) / (double) (1L << 53);
            expected += -Math.log(uniform) * SECOND / 1_000;
            assertThat(pacer.dueNanos(number)).isEqualTo(Math.round(expected));
        }
    }

    @Test
    void each_thread_of_a_poisson_process_has_its_share_and_its_own_seed() {
        Arrival.Poisson arrival = new Arrival.Poisson(1_000, 7L);
        for (int thread = 0; thread < 3; thread++) {
            Pacer own = new Pacer.Poisson(1_000 / 3.0, SplitMix64.mix(7 + thread * GOLDEN));
            assertThat(Pacer.of(arrival, thread, 3).dueNanos(4)).isEqualTo(own.dueNanos(4));
        }
    }

    @Test
    void a_request_is_due_at_its_nanosecond_and_not_before_in_any_order_of_calls() {
        for (Arrival.Open arrival :
                List.of(new Arrival.Poisson(1_000, 3L), new Arrival.Rate(1_000))) {
            Pacer pacer = Pacer.of(arrival, 0, 1);
            for (long number : new long[] {9, 3, 3, 0, 7}) {
                long due = pacer.dueNanos(number);
                assertThat(pacer.due(due)).isEqualTo(number + 1);
                if (due > 0) {
                    assertThat(pacer.due(due - 1)).isEqualTo(number);
                }
            }
        }
    }

    @Test
    void a_rate_that_falls_to_zero_ends_and_one_that_rises_from_zero_begins_later() {
        Pacer falls = stages(new Arrival.Stage(Duration.ofSeconds(2), 10, 0));
        assertThat(falls.dueNanos(0)).isZero();
        assertThat(falls.dueNanos(10)).isEqualTo(2 * SECOND);
        assertThat(falls.dueNanos(11)).isEqualTo(Pacer.NEVER);
        Pacer rises = stages(new Arrival.Stage(Duration.ofSeconds(2), 0, 10));
        // The integral of 5 t is 2.5 t^2: the first whole request is after the root of 1 / 2.5.
        assertThat(rises.dueNanos(1)).isEqualTo(Math.round(Math.sqrt(1 / 2.5) * SECOND));
        assertThat(rises.due(2 * SECOND)).isEqualTo(11);
    }

    @Test
    void an_opening_takes_one_more_connection_per_four_answers() {
        OpeningPace pace = new OpeningPace();
        assertThat(pace.next(0)).isEqualTo(16);
        assertThat(pace.next(40)).isEqualTo(26);
        assertThat(pace.next(43)).isEqualTo(16);
        assertThat(pace.next(47)).isEqualTo(17);
    }

    @Test
    void the_wait_for_the_next_connect_shrinks_with_time() {
        ConnectPace pace = new ConnectPace(10, SECOND);
        pace.begun(SECOND);
        assertThat(pace.waitNanos(SECOND + 30_000_000)).isEqualTo(70_000_000);
        assertThat(pace.waitNanos(2 * SECOND)).isZero();
    }

    @Test
    void a_schedule_that_stops_before_its_next_request_has_no_more() {
        Schedule schedule = new Schedule(Pacer.of(new Arrival.Rate(10), 0, 1));
        schedule.start(SECOND);
        schedule.take();
        schedule.stop(SECOND + SECOND / 10 - 1);
        assertThat(schedule.more()).isFalse();
        assertThat(schedule.waiting(5 * SECOND)).isZero();
    }

    @Test
    void a_scheduled_request_is_due_exactly_at_its_nanosecond() {
        Schedule schedule = new Schedule(Pacer.of(new Arrival.Rate(10), 0, 1));
        schedule.start(SECOND);
        assertThat(schedule.due(SECOND)).isTrue();
        schedule.take();
        assertThat(schedule.due(SECOND + SECOND / 10 - 1)).isFalse();
        assertThat(schedule.due(SECOND + SECOND / 10)).isTrue();
    }

    private static Pacer stages(Arrival.Stage... stages) {
        return Pacer.of(new Arrival.Stages(List.of(stages)), 0, 1);
    }
}
