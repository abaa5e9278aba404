package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OpeningWatchTest {
    private static final long SECOND = 1_000_000_000L;

    private final OpeningWatch watch = new OpeningWatch(30_000, Duration.ofSeconds(10), 0);

    @Test
    void it_has_stalled_when_nobody_was_answered_for_longer_than_a_time_out() {
        assertThat(watch.stalled(2 * SECOND, 20_000, 0)).isFalse();
        assertThat(watch.stalled(12 * SECOND, 20_000, 128)).isFalse();
        assertThat(watch.stalled(13 * SECOND, 20_000, 128)).isTrue();
    }

    @Test
    void a_service_that_answers_now_and_then_goes_on() {
        for (int second = 1; second < 600; second++) {
            assertThat(watch.stalled(second * SECOND, second / 9, second)).isFalse();
        }
    }

    @Test
    void where_nothing_fails_it_waits() {
        assertThat(watch.stalled(600 * SECOND, 0, 0)).isFalse();
    }

    @Test
    void it_says_what_happens_meanwhile() {
        watch.stalled(2 * SECOND, 20_000, 0);
        assertThat(watch.waits(2 * SECOND)).isFalse();
        assertThat(watch.waits(5 * SECOND)).isTrue();
        assertThat(watch.describe(5 * SECOND, 20_128, 3))
                .isEqualTo(
                        "20,000 of 30,000 connections were answered, none for 3 s; 128 wait for a first answer, 3 failed");
    }
}
