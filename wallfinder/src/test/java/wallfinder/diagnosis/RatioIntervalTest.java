package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.RatioInterval.Effect;

class RatioIntervalTest {
    @Test
    void a_difference_within_the_noise_is_no_effect() {
        assertThat(new RatioInterval(1.3, 0.9, 1.8, 5).effect()).isEqualTo(Effect.NONE);
    }

    @Test
    void a_small_difference_is_no_effect_however_narrow_its_interval() {
        assertThat(new RatioInterval(1.03, 1.01, 1.04, 5).effect()).isEqualTo(Effect.NONE);
        assertThat(new RatioInterval(0.97, 0.96, 0.99, 5).effect()).isEqualTo(Effect.NONE);
    }

    @Test
    void a_large_and_certain_difference_is_an_effect() {
        assertThat(new RatioInterval(8.4, 6.0, 11.4, 5).effect()).isEqualTo(Effect.MORE);
        assertThat(new RatioInterval(0.8, 0.7, 0.9, 5).effect()).isEqualTo(Effect.LESS);
    }

    /// Two pairs that differ do not show that there is no effect.
    @Test
    void a_wide_interval_is_unclear() {
        assertThat(new RatioInterval(1.1, 0.1, 13.8, 2).isUnclear()).isTrue();
        assertThat(new RatioInterval(0.98, 0.7, 1.2, 5).isUnclear()).isTrue();
        assertThat(new RatioInterval(1.01, 0.9, 1.2, 5).isUnclear()).isFalse();
        assertThat(new RatioInterval(2, 1.5, 2.6, 5).isUnclear()).isFalse();
    }
}
