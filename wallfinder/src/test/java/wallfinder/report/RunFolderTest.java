package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.record.LatencyLog;
import wallfinder.record.RunRecord;
import wallfinder.record.RunRecord.Trial;
import wallfinder.record.SampleRun;
import wallfinder.record.SeriesCsv;

final class RunFolderTest {
    @TempDir Path folder;

    @Test
    void a_run_writes_its_results_series_times_page_and_experiment() throws IOException {
        Path run = folder.resolve("runs/one");
        RunFolder.write(SampleRun.fullLadder(), run);
        assertThat(run.toFile().list())
                .containsExactlyInAnyOrder(
                        "run.json", "series.csv", "latency.hlog", "report.html", "experiment.yaml");
        assertThat(run.resolve("experiment.yaml")).hasContent(SampleRun.EXPERIMENT);
    }

    @Test
    void runs_without_a_ladder_an_end_or_a_trial_can_be_written() throws IOException {
        for (RunRecord run :
                List.of(
                        SampleRun.emptyLadder(),
                        SampleRun.interrupted(),
                        SampleRun.nothingMeasured(),
                        SampleRun.zeroRequests(),
                        SampleRun.hostileNames())) {
            RunFolder.write(run, folder);
            for (String file : List.of("run.json", "series.csv", "latency.hlog", "report.html")) {
                assertThat(folder.resolve(file)).isNotEmptyFile();
            }
        }
    }

    /// A run without a trial has no response times, and one without an experiment has no file of
    /// it.
    @Test
    void the_terminal_names_the_files_that_there_are() throws IOException {
        List<RunRecord> runs = List.of(SampleRun.fullLadder(), SampleRun.nothingMeasured());
        for (RunRecord run : runs) {
            Path own = folder.resolve("run" + runs.indexOf(run));
            RunFolder.write(run, own);
            String text = new Terminal(false).find(run, own);
            assertThat(text.substring(text.indexOf("Files: ")).split("[ ,]|\\v"))
                    .contains(own.toFile().list());
            for (String name : List.of("latency.hlog", "experiment.yaml")) {
                assertThat(text.contains(name)).as(name).isEqualTo(Files.exists(own.resolve(name)));
            }
        }
    }

    @Test
    void a_folder_that_cannot_be_made_throws() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "in the way");
        assertThatThrownBy(() -> RunFolder.write(SampleRun.emptyLadder(), file.resolve("run")))
                .isInstanceOf(IOException.class);
    }

    @Test
    void every_writer_throws_if_the_disk_is_full() {
        Path full = Path.of("/dev/full");
        RunRecord run = SampleRun.fullLadder();
        assertThatThrownBy(() -> SeriesCsv.write(run, full))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/dev/full: ");
        assertThatThrownBy(() -> LatencyLog.write(run, full)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Page.write(run, full)).isInstanceOf(IOException.class);
    }

    @Test
    void the_series_have_a_row_for_each_sample_and_a_column_for_each_counter_that_matters()
            throws IOException {
        RunRecord run = SampleRun.fullLadder();
        List<List<String>> rows = csv(run);
        List<String> head = rows.getFirst();
        assertThat(head.subList(0, 2)).containsExactly("trial", "seconds");
        assertThat(head)
                .contains("server:TcpExt.ListenOverflows", "client:load.requests")
                .contains("server:process[users].cpu")
                .doesNotContain("server:process[users].rss");
        assertThat(rows).hasSize(1 + run.trials().size() * SampleRun.SAMPLES);
        assertThat(rows).allSatisfy(row -> assertThat(row).hasSameSizeAs(head));
        int overflows = head.indexOf("server:TcpExt.ListenOverflows");
        List<String> last = rows.get(3 * SampleRun.SAMPLES);
        assertThat(last.getFirst()).isEqualTo("climb-3-connections-256");
        assertThat(last.get(1)).isEqualTo("5");
        assertThat(last.get(overflows)).isEqualTo("280");
    }

    @Test
    void a_counter_that_a_trial_did_not_read_leaves_its_field_empty() throws IOException {
        List<List<String>> rows = csv(SampleRun.fullLadder());
        int repeated = rows.getFirst().indexOf("client:TcpExt.TCPSynRetrans");
        assertThat(rows.get(1).get(repeated)).isEmpty();
    }

    @Test
    void names_with_commas_quotes_and_line_ends_are_quoted() throws IOException {
        RunRecord run = SampleRun.hostileNames();
        List<List<String>> rows = csv(run);
        assertThat(rows).hasSize(1 + SampleRun.SAMPLES);
        assertThat(rows.get(1).getFirst()).isEqualTo(run.trials().getFirst().name());
        assertThat(rows.getFirst()).contains("server:listen[80]," + run.name());
    }

    @Test
    void the_response_times_are_read_back_by_the_name_of_their_trial() throws IOException {
        RunRecord run = SampleRun.fullLadder();
        List<Histogram> read = hlog(run);
        assertThat(read).hasSameSizeAs(run.trials());
        for (int i = 0; i < read.size(); i++) {
            Trial trial = run.trials().get(i);
            assertThat(read.get(i).getTag()).isEqualTo(trial.name());
            assertThat(read.get(i)).isEqualTo(trial.observation().load().responseNanos());
            assertThat(trial.observation().load().responseNanos().getTag()).isNull();
        }
    }

    @Test
    void a_trial_without_answers_and_one_with_an_odd_name_are_in_the_log_too() throws IOException {
        assertThat(hlog(SampleRun.zeroRequests()).getFirst().getTotalCount()).isZero();
        assertThat(hlog(SampleRun.hostileNames()).getFirst().getTag()).startsWith("climb_<");
    }

    private List<Histogram> hlog(RunRecord run) throws IOException {
        Path file = folder.resolve("latency.hlog");
        LatencyLog.write(run, file);
        List<Histogram> read = new ArrayList<>();
        HistogramLogReader reader = new HistogramLogReader(file.toFile());
        try (reader) {
            EncodableHistogram next = reader.nextIntervalHistogram();
            while (next != null) {
                read.add((Histogram) next);
                next = reader.nextIntervalHistogram();
            }
        }
        return read;
    }

    private List<List<String>> csv(RunRecord run) throws IOException {
        Path file = folder.resolve("series.csv");
        SeriesCsv.write(run, file);
        return parsed(Files.readString(file));
    }

    /// Parses RFC 4180 character by character, so that the quoting is really tested.
    private static List<List<String>> parsed(String csv) {
        List<List<String>> rows = new ArrayList<>();
        List<String> row = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < csv.length(); i++) {
            char c = csv.charAt(i);
            if (quoted && c == '"' && i + 1 < csv.length() && csv.charAt(i + 1) == '"') {
                field.append('"');
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == ',' || c == '\n')) {
                row.add(field.toString());
                field.setLength(0);
                if (c == '\n') {
                    rows.add(List.copyOf(row));
                    row.clear();
                }
            } else if (quoted || c != '\r') {
                field.append(c);
            }
        }
        return rows;
    }
}
