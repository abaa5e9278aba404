package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectPaceTest {
    private static final long SECOND = 1_000_000_000L;

    /// @return how many connects began, with a check at each interval
    private static int begun(ConnectPace pace, long from, long until, long everyNanos) {
        int begun = 0;
        for (long now = from; now < until; now += everyNanos) {
            while (pace.allows(now) && begun < 1_000_000) {
                pace.begun(now);
                begun++;
            }
        }
        return begun;
    }

    @Test
    void connects_are_evenly_spaced_however_often_the_pace_is_checked() {
        assertThat(begun(new ConnectPace(1_000, 0), 0, SECOND, 10_000)).isEqualTo(1_000);
        assertThat(begun(new ConnectPace(1_000, 0), 0, SECOND, 7_300_000)).isBetween(990, 1_000);
    }

    @Test
    void a_long_pause_does_not_cause_a_burst() {
        ConnectPace pace = new ConnectPace(1_000, 0);
        assertThat(begun(pace, 60 * SECOND, 60 * SECOND + 1, 1)).isBetween(10, 12);
    }

    @Test
    void the_wait_ends_when_the_next_connect_may_begin() {
        ConnectPace pace = new ConnectPace(10, 0);
        pace.begun(0);
        assertThat(pace.waitNanos(0)).isEqualTo(SECOND / 10);
        assertThat(pace.allows(pace.waitNanos(0) - 1)).isFalse();
        assertThat(pace.allows(pace.waitNanos(0))).isTrue();
    }

    @Test
    void without_a_pace_no_connect_waits() {
        ConnectPace pace = new ConnectPace(0, 0);
        pace.begun(0);
        assertThat(pace.allows(0)).isTrue();
        assertThat(pace.waitNanos(0)).isZero();
    }
}
