package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.diagnosis.RatioInterval;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Objective;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.capacity.Capacity;
import wallfinder.lab.find.Find;
import wallfinder.lab.study.Study;
import wallfinder.record.Applied;
import wallfinder.record.CapacityRecord;
import wallfinder.record.RunRecord;
import wallfinder.record.StudyRecord;

/// Which exit code a result has, if several are true of it.
class ExitCodeTest {
    private static final RuntimeException FAILURE = new IllegalStateException("it failed");

    private static RunRecord.Trial trial(boolean invalid, boolean objectiveMet) {
        return SimulatedTrials.trial(
                "climb-1-wall-8",
                SimulatedTrials.load(8, 100, 10, 0),
                invalid ? SimulatedTrials.invalid() : SimulatedTrials.none(),
                objectiveMet);
    }

    private static Applied kept() {
        RatioInterval ratio = new RatioInterval(2, 1.9, 2.1, 3);
        RunRecord.Side side = new RunRecord.Side(100, 1e7, 0, 500, List.of());
        return new Applied(new Remedy(List.of(), "nothing"), ratio, ratio, side, side, true);
    }

    private static RunRecord.Rung rung(@Nullable Applied remedy) {
        return new RunRecord.Rung(0, remedy, List.of(), List.of(), List.of());
    }

    /// @param last whether the last trial is `good`, `invalid`, `missed` the objective, or both
    @ParameterizedTest
    @CsvSource({
        "false, false, false, good, 0",
        "false, false, false, missed, 1",
        "false, false, false, invalid, 4",
        "false, false, false, invalid and missed, 4",
        "false, false, true, missed, 0",
        "false, false, true, invalid, 0",
        "false, true, false, invalid, 130",
        "false, true, true, good, 130",
        "true, false, true, good, 3",
        "true, true, false, missed, 3",
    })
    void of_a_find(boolean failed, boolean interrupted, boolean proven, String last, int code) {
        RunRecord.Trial trial = trial(last.contains("invalid"), !last.contains("missed"));
        Find.Result result =
                new Find.Result(
                        List.of(trial),
                        List.of(rung(proven ? kept() : null)),
                        "ended",
                        failed ? FAILURE : null);

        assertThat(FindCommand.code(interrupted, result)).isEqualTo(code);
    }

    private static StudyRecord.Cell cell(
            int number, int trials, int invalid, @Nullable Boolean objectiveMet) {
        return new StudyRecord.Cell(
                number,
                Map.of(),
                1,
                trials == 0 ? List.of() : List.of("round-1-cell-" + number),
                invalid,
                0,
                null,
                null,
                null,
                List.of(),
                objectiveMet);
    }

    /// Of two cells, the first has no flaw.
    ///
    /// @param trials the number of trials of the second that count
    /// @param invalid the number of its trials whose limit was the generator
    @ParameterizedTest
    @CsvSource({
        "false, 1, 0, true, 0",
        "false, 1, 0, , 0",
        "false, 0, 0, , 0",
        "false, 1, 1, true, 0",
        "false, 0, 0, false, 1",
        "false, 1, 1, false, 1",
        "false, 0, 1, true, 4",
        "false, 0, 2, false, 4",
        "true, 1, 0, true, 130",
        "true, 0, 1, false, 130",
    })
    void of_a_study(
            boolean interrupted,
            int trials,
            int invalid,
            @Nullable Boolean objectiveMet,
            int code) {
        List<StudyRecord.Cell> cells =
                List.of(cell(1, 1, 0, true), cell(2, trials, invalid, objectiveMet));
        StudyRecord study = new StudyRecord(1, List.of(), cells, 1, List.of(), List.of());
        Study.Result result = new Study.Result(List.of(), study, "ended", null);

        assertThat(RunCommand.code(interrupted, result)).isEqualTo(code);
    }

    /// @param perSecond the capacity; empty if no pair was measured
    @ParameterizedTest
    @CsvSource({
        "FOUND, 400, p99 < 50ms, false, 0",
        "FOUND, , p99 < 50ms, false, 0",
        "FOUND, 400, 'p99 < 50ms, capacity > 300', false, 0",
        "FOUND, 400, 'p99 < 50ms, capacity > 500', false, 1",
        "FOUND, , 'p99 < 50ms, capacity > 300', false, 1",
        "NEVER_HELD, , p99 < 50ms, false, 1",
        "GENERATOR, 400, 'p99 < 50ms, capacity > 500', false, 4",
        "INTERRUPTED, 400, p99 < 50ms, false, 130",
        "FAILED, 400, p99 < 50ms, false, 130",
        "FAILED, 400, p99 < 50ms, true, 3",
        "FOUND, 400, p99 < 50ms, true, 3",
    })
    void of_a_capacity(
            Capacity.End end,
            @Nullable Double perSecond,
            String objective,
            boolean failed,
            int code) {
        CapacityRecord capacity =
                perSecond == null
                        ? null
                        : new CapacityRecord(
                                objective,
                                perSecond,
                                0.9 * perSecond,
                                1.1 * perSecond,
                                List.of(),
                                List.of(),
                                true,
                                null,
                                null);
        Capacity.Result result =
                new Capacity.Result(List.of(), capacity, end, "ended", failed ? FAILURE : null);

        assertThat(CapacityEnd.code(Objective.parse(objective), result)).isEqualTo(code);
    }
}
