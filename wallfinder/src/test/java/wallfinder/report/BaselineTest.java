package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.UsageException;
import wallfinder.record.Outcome;
import wallfinder.record.RunJson;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleRun;
import wallfinder.record.StoredRun;
import wallfinder.record.StoredRunJson;

class BaselineTest {
    @TempDir Path folder;

    private StoredRun stored(RunRecord run) throws Exception {
        Path file = folder.resolve("run.json");
        RunJson.write(run, file);
        return StoredRunJson.read(file);
    }

    private static RunRecord queue() {
        return SampleRun.run(List.of(SampleRun.queueFull("load")), List.of(), "");
    }

    private static RunRecord generator() {
        return SampleRun.run(List.of(SampleRun.generatorBound("load")), List.of(), "");
    }

    @Test
    void another_wall_is_a_sentence_and_a_warning() throws Exception {
        Baseline compared = Baseline.of(stored(SampleRun.emptyLadder()), queue());

        assertThat(compared.changed()).isTrue();
        assertThat(compared.text())
                .startsWith("the wall is accept-queue; there was none. 256.0 answers/s; it was ");
        assertThat(Baseline.of(stored(generator()), queue()).text())
                .startsWith("the wall is accept-queue; it was load-generator");
        assertThat(GitHubAnnotations.text(queue(), Outcome.DONE, compared))
                .startsWith(
                        "::warning title=Wallfinder%3A accept-queue::the wall is accept-queue;");
    }

    @Test
    void the_same_wall_is_only_noted() throws Exception {
        Baseline compared = Baseline.of(stored(queue()), queue());

        assertThat(compared.changed()).isFalse();
        assertThat(compared.text()).startsWith("the wall is still accept-queue.");
        assertThat(GitHubAnnotations.text(queue(), Outcome.DONE, compared)).startsWith("::notice");
    }

    @Test
    void ladders_are_compared_rung_by_rung() throws Exception {
        assertThat(Baseline.of(stored(SampleRun.fullLadder()), SampleRun.fullLadder()).text())
                .startsWith(
                        "rung 1: the wall is still accept-queue. rung 2: the wall is still cpu");
    }

    @Test
    void a_capacity_is_compared_by_the_wall_above_it() throws Exception {
        RunRecord run = SampleCapacity.run();
        assertThat(Baseline.of(stored(run), run).text())
                .contains("the wall is still", "401.5 answers/s; it was 401.5/s");
    }

    @Test
    void a_run_of_another_command_is_refused() throws Exception {
        StoredRun find = stored(SampleRun.fullLadder());
        assertThatThrownBy(() -> Baseline.check(find, "load"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("it is a run of the command find");
    }

    @Test
    void another_host_is_named() throws Exception {
        RunRecord now = queue();
        now.host().put(RunRecord.HOST_NAME, "runner-1");
        StoredRun before = stored(now);
        now.host().put(RunRecord.HOST_NAME, "runner-2");
        assertThat(Baseline.of(before, now).text())
                .endsWith(". the host is runner-2 (2 CPUs); it was runner-1 (2 CPUs)");

        StoredRun older = stored(queue()); // does not know its name
        assertThat(Baseline.of(older, now).text()).doesNotContain("the host is");
    }
}
