package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.diagnosis.Budget;

/// The parts of an answer's time, for services whose times are known. `bench/budget` prints how far
/// they are off.
@Tag("sandbox")
@Timeout(180)
class BudgetTest extends PlantedTest {
    /// Wide, because other programs on the host make every part longer.
    private static final double OFF_SHARE_MAX = 0.3;

    private static final double OFF_MILLIS_MAX = 1.5;

    @ParameterizedTest
    @MethodSource
    void the_parts_are_as_long_as_they_are_known_to_be(KnownBudget known) throws Exception {
        Budget budget = known.measured(run);

        assertThat(budget.alone()).isNotNull();
        assertParts(budget.alone(), known.alone());
        assertParts(budget.loaded(), known.loaded());
        assertThat(budget.loaded().explainedShare()).as(budget.toString()).isGreaterThan(0.8);
    }

    static Iterable<KnownBudget> the_parts_are_as_long_as_they_are_known_to_be() {
        return List.of(KnownBudget.LOCK, KnownBudget.WORKERS, KnownBudget.DEPENDENCY);
    }

    private static void assertParts(Budget.Parts parts, Map<String, Double> known) {
        known.forEach((key, millis) ->
                assertThat(parts.micros(key) / 1e3)
                        .as(key + " of " + parts)
                        .isCloseTo(
                                millis, within(Math.max(OFF_MILLIS_MAX, OFF_SHARE_MAX * millis))));
    }
}
