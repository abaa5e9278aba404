package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LimitsTest {
    @ParameterizedTest
    @CsvSource({"NOFILE,64", "PIDS,30", "MEMORY,64m", "CPUS,0.5", "CPUS,2"})
    void a_changed_limit_keeps_the_text_it_was_written_as(Limits.Kind kind, String value) {
        Limits turned = Limits.NONE.with(kind, value);
        assertThat(turned.text(kind)).isEqualTo(value);
        for (Limits.Kind other : Limits.Kind.values()) {
            assertThat(other == kind || turned.text(other) == null).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void changing_one_limit_keeps_the_others(Limits.Kind kind) {
        Limits all = new Limits(64L, 30L, 64L << 20, 0.5, "0-1", 16L << 20);
        Limits turned = all.with(kind, "8");
        assertThat(turned).isNotEqualTo(all);
        assertThat(turned.with(kind, all.text(kind))).isEqualTo(all);
    }

    @Test
    void a_size_uses_the_largest_unit_that_needs_no_fraction() {
        assertThat(Quantity.bytesText(0)).isEqualTo("0");
        assertThat(Quantity.bytesText(1_000)).isEqualTo("1000");
        assertThat(Quantity.bytesText(1_536)).isEqualTo("1536");
        assertThat(Quantity.bytesText(2_048)).isEqualTo("2k");
        assertThat(Quantity.bytesText(3L << 30)).isEqualTo("3g");
        assertThat(Quantity.bytesText(5L << 40)).isEqualTo("5120g");
    }
}
