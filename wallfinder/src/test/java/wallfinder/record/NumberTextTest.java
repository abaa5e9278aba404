package wallfinder.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumberTextTest {
    /// The rest of a time budget may be a little below zero.
    @Test
    void nothing_is_no_negative_zero() {
        assertThat(NumberText.millis(-4_000)).isEqualTo("0.00 ms");
        assertThat(NumberText.millis(-6_000)).isEqualTo("-0.01 ms");
    }
}
