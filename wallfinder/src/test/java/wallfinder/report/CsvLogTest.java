package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.UsageException;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleRun;

class CsvLogTest {
    private static final CsvLog.Revision REVISION = new CsvLog.Revision("abc", "main");

    @TempDir Path folder;
    private Path file;

    @BeforeEach
    void a_file() {
        file = folder.resolve("walls.csv");
    }

    @Test
    void the_header_is_written_once_and_each_run_adds_a_row() throws Exception {
        CsvLog.append(SampleRun.fullLadder(), Outcome.DONE, REVISION, file);
        CsvLog.append(SampleCapacity.run(), Outcome.MISSED, REVISION, file);

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).startsWith("time,commit,branch,name,verdict,wall,rate,p50_ms,");
        assertThat(lines.get(1))
                .startsWith("2026-11-20T10:15:30Z,abc,main,accept-queue,named,accept-queue,100,");
        assertThat(lines).allMatch(line -> line.split(",", -1).length == 13);
    }

    /// The percentiles and errors of the trial above it are those of an overload.
    @Test
    void a_capacity_has_no_figures_of_the_trial_above_it() throws Exception {
        CsvLog.append(SampleCapacity.run(401.5, 390, 410), Outcome.DONE, REVISION, file);
        CsvLog.append(SampleCapacity.ladder(), Outcome.DONE, REVISION, file);
        assertThat(Files.readAllLines(file).subList(1, 3))
                .allMatch(line -> line.endsWith(",named,accept-queue,401.5,,,,,,"));
    }

    @Test
    void a_lower_bound_of_a_capacity_is_no_point_of_the_series() throws Exception {
        RunRecord run = SampleCapacity.run().with(SampleCapacity.atLeast(400));
        assertThat(CsvLog.append(run, Outcome.DONE, REVISION, file)).isNotNull();
        assertThat(file).doesNotExist();
    }

    @Test
    void a_search_that_found_no_capacity_adds_no_rate_of_its_last_trial() throws Exception {
        RunRecord found = SampleCapacity.run();
        RunRecord run =
                new RunRecord(
                        "wallfinder capacity http://h/",
                        "h",
                        found.startedAt(),
                        found.host(),
                        found.trials(),
                        List.of(),
                        "even 25.0 requests a second miss the objective",
                        null);
        assertThat(CsvLog.append(run, Outcome.MISSED, REVISION, file)).isNotNull();
        assertThat(file).doesNotExist();
    }

    @Test
    void a_file_with_other_columns_is_not_touched() throws Exception {
        Files.writeString(file, "time,rate\n1,2\n");

        assertThatThrownBy(() -> CsvLog.check(file)).isInstanceOf(UsageException.class);
        assertThatThrownBy(
                        () -> CsvLog.append(SampleRun.fullLadder(), Outcome.DONE, REVISION, file))
                .isInstanceOf(UsageException.class);
        assertThat(file).hasContent("time,rate\n1,2\n");
    }

    @Test
    void a_row_that_was_cut_off_does_not_spoil_the_next_one() throws Exception {
        CsvLog.append(SampleRun.fullLadder(), Outcome.DONE, REVISION, file);
        Files.writeString(file, Files.readString(file).stripTrailing());

        CsvLog.append(SampleRun.fullLadder(), Outcome.DONE, REVISION, file);

        assertThat(Files.readAllLines(file)).hasSize(3);
    }

    @Test
    void an_invalid_interrupted_or_empty_run_adds_no_point_to_the_series() throws Exception {
        for (Outcome outcome : List.of(Outcome.INVALID, Outcome.INTERRUPTED, Outcome.FAILED)) {
            assertThat(CsvLog.append(SampleRun.fullLadder(), outcome, REVISION, file)).isNotNull();
        }
        assertThat(CsvLog.append(SampleRun.zeroRequests(), Outcome.DONE, REVISION, file))
                .isNotNull();
        assertThat(file).doesNotExist();
    }
}
