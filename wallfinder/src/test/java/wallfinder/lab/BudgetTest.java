package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import wallfinder.diagnosis.Budget;

/// The parts of an answer's time under load, for services whose times are known. `bench/budget`
/// prints how many milliseconds they are off, also without load: those samples take a second, and
/// one moment in which other programs use the CPUs is a large part of it.
@Tag("sandbox")
@Timeout(180)
class BudgetTest extends PlantedTest {
    /// Other programs on the host make every part longer, so the shares of the parts are tested.
    private static final double OFF_MAX = 0.2;

    private static final List<KnownBudget> KNOWN =
            List.of(KnownBudget.DEPENDENCY, KnownBudget.LOCK);

    @Test
    void the_wait_for_a_worker_has_its_known_share_of_the_time() throws Exception {
        assertKnown(KnownBudget.WORKERS);
    }

    /// `PlantedConnectionsTest` and `PlantedLocksTest` name these parts in a planted wall.
    @ParameterizedTest
    @Tag("long")
    @FieldSource("KNOWN")
    void each_part_has_its_known_share_of_the_time(KnownBudget known) throws Exception {
        assertKnown(known);
    }

    private void assertKnown(KnownBudget known) throws Exception {
        Budget budget = known.measured(run);

        assertThat(budget.alone()).isNotNull();
        assertParts(budget.loaded(), known.loaded());
        assertThat(budget.loaded().explainedShare()).as(budget.toString()).isGreaterThan(0.8);
    }

    private static void assertParts(Budget.Parts parts, Map<String, Double> known) {
        double sum = known.values().stream().mapToDouble(Double::doubleValue).sum();
        known.forEach((key, millis) ->
                assertThat(parts.micros(key) / parts.responseMicros())
                        .as(key + " of " + parts)
                        .isCloseTo(millis / sum, within(OFF_MAX)));
    }
}
