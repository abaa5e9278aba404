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
        "rate>5k, throughput, false, 5000",
        "p99.9 < 1s, p999, true, 1000000",
        "max<1s, max, true, 1000000",
        "capacity>2k, capacity, false, 2000",
        "errors<1%, errors, true, 0.01",
        "errors < 0.1%, errors, true, 0.001",
    })
    void an_objective_is_a_metric_a_comparison_and_a_bound(
            String text, String metric, boolean below, double bound) {
        Objective objective = Objective.parse(text);
        assertThat(objective.text()).isEqualTo(text);
        assertThat(objective.bounds())
                .containsExactly(new Objective.Bound(metric, below, text.contains("="), bound));
    }

    @Test
    void several_bounds_are_separated_by_commas() {
        assertThat(Objective.parse("p99<50ms, errors <= 1% ,rate>5k").bounds())
                .containsExactly(
                        new Objective.Bound("p99", true, false, 50_000),
                        new Objective.Bound("errors", true, true, 0.01),
                        new Objective.Bound("throughput", false, false, 5_000));
    }

    @Test
    void a_condition_of_the_wall_is_equal_or_not_to_a_wall_or_none() {
        Objective objective = Objective.parse("p99<50ms, wall != accept-queue,wall==none");
        assertThat(objective.bounds()).hasSize(1);
        assertThat(objective.walls())
                .containsExactly(
                        new Objective.OfWall(WallId.ACCEPT_QUEUE, false),
                        new Objective.OfWall(null, true));
        assertThat(objective.walls().getFirst().text()).isEqualTo("wall != accept-queue");
    }

    @Test
    void an_unknown_wall_names_the_nearest_one() {
        UsageException error =
                catchThrowableOfType(
                        UsageException.class, () -> Objective.parse("wall != acept-queue"));
        assertThat(error.why()).contains("there is no wall 'acept-queue'");
        assertThat(error.todo()).startsWith("Did you mean 'accept-queue'?");
    }

    private static boolean holds(String text, double value) {
        return Objective.parse(text).bounds().getFirst().holds(value);
    }

    @Test
    void the_bound_itself_holds_only_with_an_equals_sign() {
        assertThat(holds("errors <= 0%", 0)).isTrue();
        assertThat(holds("errors < 1%", 0.01)).isFalse();
        assertThat(holds("p50 < 1ms", 999)).isTrue();
        assertThat(holds("throughput > 5", 4)).isFalse();
        assertThat(holds("throughput >= 5", 5)).isTrue();
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
                "p98 < 5ms",
                "wall < cpu",
                "wall = cpu",
                "wall",
                "wall !=",
                "wall == NOTHING",
                "p99 < 5ms,",
                "p99 < 5ms and errors < 1%"
            })
    void an_invalid_objective_is_refused_and_quoted(String text) {
        UsageException error =
                catchThrowableOfType(UsageException.class, () -> Objective.parse(text));

        assertThat(error).hasMessageContaining("The objective '" + text + "' cannot be read");
        assertThat(error.todo()).isNotBlank();
    }
}
