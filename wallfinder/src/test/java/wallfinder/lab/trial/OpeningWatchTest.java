package wallfinder.lab.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OpeningWatchTest {
    private static final long SECOND = 1_000_000_000L;

    private final OpeningWatch watch = new OpeningWatch(30_000, Duration.ofSeconds(10), 0);

    @Test
    void an_opening_without_answers_for_longer_than_the_timeout_has_stalled() {
        assertThat(watch.stalled(2 * SECOND, 20_000, 0)).isFalse();
        assertThat(watch.stalled(12 * SECOND, 20_000, 128)).isFalse();
        assertThat(watch.stalled(13 * SECOND, 20_000, 128)).isTrue();
    }

    @Test
    void an_opening_with_occasional_answers_goes_on() {
        for (int second = 1; second < 600; second++) {
            assertThat(watch.stalled(second * SECOND, second / 9, second)).isFalse();
        }
    }

    @Test
    void an_opening_without_failures_waits() {
        assertThat(watch.stalled(600 * SECOND, 0, 0)).isFalse();
    }

    @Test
    void the_progress_of_the_opening_is_described() {
        watch.stalled(2 * SECOND, 20_000, 0);
        assertThat(watch.waits(2 * SECOND)).isFalse();
        assertThat(watch.waits(5 * SECOND)).isTrue();
        assertThat(watch.describe(5 * SECOND, 20_128, 3))
                .isEqualTo(
                        "20,000 of 30,000 connections were answered, none for 3 s; 128 wait for a first answer, 3 failed");
    }
}
