package wallfinder.lab.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Matrix;
import wallfinder.lab.SimulatedTrials;
import wallfinder.lab.session.Interruption;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.SandboxTrialRunner;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.load.EngineChoice;
import wallfinder.observation.LoadOutcome;
import wallfinder.observation.SampleLoad;
import wallfinder.record.RunRecord;

/// Which trials a study has yet to measure, after some were kept: two rounds of two cells.
class StudyTest {
    private static final StudyTrial.Slot FIRST = new StudyTrial.Slot(1, 1, 1);
    private static final StudyTrial.Slot SECOND = new StudyTrial.Slot(2, 1, 1);
    private static final StudyTrial.Slot FIRST_AGAIN = new StudyTrial.Slot(1, 1, 2);

    @TempDir private Path folder;
    private Matrix matrix;
    private StudyFolder kept;

    @BeforeEach
    void begin() throws Exception {
        String yaml =
                """
                services:
                  web: { command: "serve {pool}", ready: { log: ready },
                    knobs: { pool: { value: 1, moves: server-concurrency } } }
                load: { url: "http://{server}:1/" }
                repeat: 2
                matrix: { pool: [1, 2] }
                """;
        matrix = Study.read(Files.writeString(folder.resolve("given.yaml"), yaml));
        kept = StudyFolder.begin(Files.createDirectory(folder.resolve("run")), matrix, folder);
    }

    private Study resumed() {
        RunContext context =
                new RunContext(
                        folder,
                        null,
                        folder.resolve("run"),
                        EngineChoice.EPOLL,
                        new Interruption(),
                        line -> {});
        return new Study(matrix, true, context, new SandboxTrialRunner(TrialHosts.here(context)));
    }

    private static StudyTrial measured(
            Matrix matrix, StudyTrial.Slot slot, LoadOutcome.Generator generator) {
        Histogram times = new Histogram(3);
        times.recordValueWithCount(10_000_000, 100);
        LoadOutcome load =
                SampleLoad.of(8, 1, 100, 0, times, generator).withUnloaded(times, List.of(), 0, 0);
        RunRecord.Trial trial =
                SimulatedTrials.trial(slot.name(), load, SimulatedTrials.none(), null);
        return StudyTrial.measured(
                0, slot, new TreeMap<>(matrix.cells().get(slot.cell() - 1).factors()), trial);
    }

    private void keep(StudyTrial.Slot slot, LoadOutcome.Generator generator) {
        kept.keep(measured(matrix, slot, generator));
    }

    @Test
    void a_trial_whose_generator_lost_its_cpu_is_repeated_once() {
        keep(FIRST, SampleLoad.STARVED);
        keep(SECOND, SampleLoad.IDLE);
        assertThat(resumed().slots(1))
                .containsExactly(new StudyTrial.Slot(2, 2, 1), new StudyTrial.Slot(1, 2, 1));
        assertThat(resumed().slots(2)).containsExactly(FIRST_AGAIN);

        keep(FIRST_AGAIN, SampleLoad.STARVED);
        assertThat(resumed().slots(2)).isEmpty();
    }

    @Test
    void a_failure_of_an_earlier_run_is_repeated_as_a_first_attempt() {
        keep(SECOND, SampleLoad.IDLE);
        kept.keep(
                StudyTrial.failed(
                        1, FIRST, new TreeMap<>(matrix.cells().getFirst().factors()), "it ended"));
        assertThat(resumed().slots(1)).startsWith(FIRST).doesNotContain(SECOND).hasSize(3);
        assertThat(resumed().slots(2)).isEmpty();
    }
}
