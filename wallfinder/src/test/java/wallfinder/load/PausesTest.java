package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PausesTest {
    private static final long MILLI = 1_000_000L;
    private final Pauses pauses = new Pauses();

    @Test
    void a_wait_that_an_event_ends_is_no_pause_however_long() {
        pauses.start(0);
        pauses.waiting(0, 50 * MILLI);
        pauses.woken(90 * MILLI, true);
        pauses.waiting(90 * MILLI, MILLI);
        assertThat(pauses.maxNanos).isZero();
    }

    @Test
    void a_wait_beyond_its_time_is_a_pause_from_then_on() {
        pauses.start(0);
        pauses.waiting(0, 5 * MILLI);
        pauses.woken(9 * MILLI, false);
        pauses.waiting(10 * MILLI, MILLI);
        assertThat(pauses.maxNanos).isEqualTo(5 * MILLI);
        assertThat(pauses.count).isEqualTo(1);
    }

    @Test
    void the_time_between_two_waits_is_a_pause_and_counts_from_a_millisecond() {
        pauses.start(0);
        long now = 0;
        for (long held : new long[] {300_000, MILLI, 2 * MILLI}) {
            pauses.waiting(now + held, MILLI);
            now += held + MILLI;
            pauses.woken(now, true);
        }
        assertThat(pauses.maxNanos).isEqualTo(2 * MILLI);
        assertThat(pauses.count).isEqualTo(2);
        assertThat(pauses.sumNanos).isEqualTo(3 * MILLI);
    }

    @Test
    void pauses_before_the_start_or_after_the_stop_are_not_counted() {
        pauses.waiting(90 * MILLI, MILLI);
        pauses.start(100 * MILLI);
        pauses.waiting(101 * MILLI, MILLI);
        pauses.woken(102 * MILLI, true);
        pauses.stop();
        pauses.waiting(190 * MILLI, MILLI);
        assertThat(pauses.maxNanos).isEqualTo(MILLI);
    }
}
