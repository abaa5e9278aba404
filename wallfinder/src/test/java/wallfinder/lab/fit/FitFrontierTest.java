package wallfinder.lab.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.lab.SimulatedTrials;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

class FitFrontierTest {
    private static StudyRecord.Cell cell(int failed) {
        return cell(failed, null);
    }

    private static StudyRecord.Cell cell(int failed, StudyRecord.@Nullable Against against) {
        return new StudyRecord.Cell(
                1,
                Map.of(),
                1,
                List.of("one", "two", "three"),
                0,
                failed,
                null,
                null,
                against,
                List.of(),
                true);
    }

    /// Without a valid trial of the first candidate, another one takes its place.
    @Test
    void a_candidate_is_as_fast_as_the_first_one_and_not_as_another() {
        RatioInterval same = new RatioInterval(1.0, 0.98, 1.02, 5);
        assertThat(FitFrontier.asFast(cell(0, new StudyRecord.Against(1, same, null, null))))
                .isTrue();
        assertThat(FitFrontier.asFast(cell(0, new StudyRecord.Against(2, same, null, null))))
                .isFalse();
        assertThat(FitFrontier.asFast(cell(0))).isFalse();
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
