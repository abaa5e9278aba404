package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ObjectiveTest {
    @ParameterizedTest
    @CsvSource({
        "p99 < 50ms, p99, true, 50000",
        "p99<50ms, p99, true, 50000",
        "p999 <= 1s, p999, true, 1000000",
        "mean < 250us, mean, true, 250",
        "throughput > 5k, throughput, false, 5000",
        "throughput >= 2.5k/s, throughput, false, 2500",
        "errors < 0.1%, errors, true, 0.001",
    })
    void an_objective_is_a_metric_a_comparison_and_a_bound(
            String text, String metric, boolean below, double bound) {
        assertThat(Objective.parse(text)).isEqualTo(new Objective(metric, below, bound, text));
    }

    @Test
    void the_bound_itself_holds_only_with_an_equals_sign() {
        assertThat(Objective.parse("errors <= 0%").holds(0)).isTrue();
        assertThat(Objective.parse("errors < 1%").holds(0.01)).isFalse();
        assertThat(Objective.parse("p50 < 1ms").holds(999)).isTrue();
        assertThat(Objective.parse("throughput > 5").holds(4)).isFalse();
        assertThat(Objective.parse("throughput >= 5").holds(5)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "p99",
                "p99 <",
                "p99 < 50",
                "p99 = 5ms",
                "errors < 0.1",
                "p99 < 5 ms 6",
                "throughput > fast",
                "p98 < 5ms"
            })
    void what_cannot_be_read_is_refused_and_quoted(String text) {
        UsageException error =
                catchThrowableOfType(UsageException.class, () -> Objective.parse(text));

        assertThat(error).hasMessageContaining("The objective '" + text + "' cannot be read");
        assertThat(error.todo()).isNotBlank();
    }
}
