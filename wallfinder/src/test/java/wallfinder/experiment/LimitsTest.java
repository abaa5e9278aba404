package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
        Limits all = new Limits(64L, 30L, 64L << 20, 0.5, "0-1", 16L << 20, 32L << 20);
        Limits turned = all.with(kind, "8");
        assertThat(turned).isNotEqualTo(all);
        assertThat(turned.with(kind, all.text(kind))).isEqualTo(all);
    }

    private static Experiment withKeys(String keys) {
        return ExperimentFile.parse(
                """
                services:
                  echo: { command: echo-server, ready: "tcp://{server}:7", %s }
                load: { url: "http://{server}:7/" }
                """
                        .formatted(keys),
                "swap.yaml",
                "swap");
    }

    @Test
    void swap_comes_on_top_of_the_memory() {
        Limits limits = withKeys("memory: 64m, swap: 32m").services().getFirst().limits();
        assertThat(limits)
                .isEqualTo(new Limits(null, null, 64L << 20, null, null, null, 32L << 20));
        assertThatThrownBy(() -> withKeys("swap: 32m"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("services.echo.swap")
                .hasMessageContaining("it needs a limit of the memory");
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
