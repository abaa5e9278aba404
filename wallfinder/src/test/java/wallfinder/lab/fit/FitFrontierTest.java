package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.lab.SimulatedTrials;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

class FitFrontierTest {
    private static StudyRecord.Cell cell(int failed) {
        return new StudyRecord.Cell(
                1,
                Map.of(),
                1,
                List.of("one", "two", "three"),
                0,
                failed,
                null,
                null,
                null,
                List.of(),
                true);
    }

    private static List<RunRecord.Trial> trials(boolean lastMet) {
        return List.of(trial("one", true), trial("two", true), trial("three", lastMet));
    }

    private static RunRecord.Trial trial(String name, boolean met) {
        return SimulatedTrials.trial(
                name, SimulatedTrials.load(10, 1_000, 60, 0), SimulatedTrials.none(), met);
    }

    /// Most trials met the objective, but a service that is killed now and then needs more memory.
    @Test
    void a_limit_at_which_one_trial_was_knocked_out_is_not_enough() {
        assertThat(FitFrontier.alwaysMet(cell(0), trials(true))).isTrue();
        assertThat(FitFrontier.alwaysMet(cell(0), trials(false))).isFalse();
        assertThat(FitFrontier.alwaysMet(cell(1), trials(true))).isFalse();
    }
}
