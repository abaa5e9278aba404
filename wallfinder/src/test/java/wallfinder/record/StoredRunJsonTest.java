package wallfinder.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.UsageException;

class StoredRunJsonTest {
    @TempDir Path folder;

    private StoredRun stored(RunRecord run) throws IOException {
        RunJson.write(run, folder.resolve("run.json"));
        return StoredRunJson.read(folder);
    }

    @Test
    void a_ladder_is_read_back_with_its_trials_and_what_moved_each_wall() throws IOException {
        RunRecord run = SampleRun.fullLadder();
        StoredRun stored = stored(run);

        assertThat(stored.name()).isEqualTo(run.name());
        assertThat(stored.command()).isEqualTo(run.command());
        assertThat(stored.host()).containsEntry("kernel", run.host().get("kernel").toString());
        assertThat(stored.trials()).hasSameSizeAs(run.trials());
        StoredRun.Rung first = stored.ladder().getFirst();
        assertThat(first.moved()).isEqualTo("backlog 128 -> 4096: 4.10 times, 2.50-4.80");
        assertThat(stored.ladder().getLast().moved()).isNull();
        StoredRun.Trial wall = stored.trials().get(first.trial());
        assertThat(wall.finding())
                .isEqualTo(new StoredRun.Finding("named", "accept-queue", "server", "throughput"));
        StoredRun.Load load = wall.load();
        assertThat(load).isNotNull();
        assertThat(load.goodPerSecond()).isEqualTo(256);
        assertThat(load.arrival()).isEqualTo("lockstep");
        assertThat(load.p99Micros()).isGreaterThan(load.p50Micros());
    }

    @Test
    void an_open_loop_is_read_back_with_the_rate_that_was_asked() throws IOException {
        StoredRun.Load open = stored(SampleRun.openLoop()).trials().getFirst().load();
        assertThat(open).isNotNull();
        assertThat(open.asked()).isEqualTo("4,000/s asked");
        assertThat(open.failed()).isNotNull();
    }

    private void refused(Path run, String why) {
        assertThatThrownBy(() -> StoredRunJson.read(run))
                .isInstanceOfSatisfying(
                        UsageException.class,
                        refused -> {
                            assertThat(refused.what()).contains(run.toString());
                            assertThat(refused.why()).contains(why);
                            assertThat(refused.todo()).isNotEmpty();
                        });
    }

    private Path file(String content) throws IOException {
        return Files.writeString(folder.resolve("some.json"), content);
    }

    @Test
    void what_is_no_run_json_is_refused_with_the_reason() throws IOException {
        refused(folder.resolve("missing"), "there is no such file");
        refused(folder, "it has no run.json");
        refused(file("no JSON at all"), "it is no JSON");
        refused(file(""), "it is no run.json: it has no schema");
        refused(file("[1, 2]"), "it is no run.json: it has no schema");
        refused(file("{}"), "it is no run.json: it has no schema");
        refused(
                file("{\"schema\": \"wallfinder-observation/1\"}"),
                "its schema is wallfinder-observation/1");
        refused(file("{\"schema\": \"wallfinder/1\"}"), "it is no complete run.json");
    }

    @Test
    void a_run_json_of_a_newer_version_is_refused() throws IOException {
        refused(
                file("{\"schema\": \"wallfinder/2\"}"),
                "its schema is wallfinder/2, and this Wallfinder reads wallfinder/1");
    }

    @Test
    void a_run_json_that_was_cut_off_is_refused_wherever_it_ends() throws IOException {
        byte[] whole = RunJson.bytes(SampleRun.emptyLadder());
        for (int length = 1; length < whole.length - 2; length += 97) {
            String part = new String(Arrays.copyOf(whole, length), StandardCharsets.UTF_8);
            refused(file(part), "its end is missing");
        }
    }
}
