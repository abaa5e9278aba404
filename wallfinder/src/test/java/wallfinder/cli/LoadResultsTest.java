package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What `load` tells of itself, as a whole program.
@Tag("slow")
@Tag("sandbox")
@Timeout(180)
class LoadResultsTest {
    @TempDir private Path folder;
    private Program program;
    private Path json;
    private TinyServer server;

    @BeforeEach
    void a_server() throws IOException {
        program = new Program(folder);
        json = program.file("run.json");
        server = new TinyServer(0);
    }

    @AfterEach
    void nothing_is_left() throws IOException {
        server.close();
        program.assertNothingLeft();
    }

    private Program.Ended load(String... options) throws Exception {
        String[] words = new String[options.length + 4];
        words[0] = "load";
        words[1] = server.url();
        words[2] = "--json";
        words[3] = json.toString();
        System.arraycopy(options, 0, words, 4, options.length);
        return program.run(words);
    }

    @Test
    void an_objective_of_several_bounds_is_missed_if_one_of_them_is() throws Exception {
        String met = "errors<=0%, rate>1, p99<9s, max < 9s";
        assertThat(load("-c", "2", "-d", "1s", "--objective", met).measured().out())
                .contains("The objective was met.");
        Program.Ended missed = load("-c", "2", "-d", "1s", "--objective", met + ",rate>100k");
        assertThat(missed.code()).isIn(1, 4);
        assertThat(missed.out()).contains("The objective was MISSED.");
    }

    @Test
    void a_poisson_process_needs_a_rate_and_is_told() throws Exception {
        program.run("load", server.url(), "--poisson").failed(2, "--poisson", "-R 5k");
        assertThat(load("-R", "50", "--poisson", "-d", "1s").measured().out())
                .contains("50/s asked as a Poisson process");
        assertThat(Files.readString(json)).contains("\"arrival\" : \"poisson\"");
    }

    @Test
    void what_was_driven_before_the_measurement_and_the_generators_own_state_are_told()
            throws Exception {
        String out = load("-c", "2", "-d", "1s", "--warmup", "2s").measured().out();
        assertThat(out).containsPattern("warm-up +[0-9.]+ s before, not counted");
        assertThat(out)
                .containsPattern("generator +busy in \\d+ % of the time, waited .* for a CPU,");
        assertThat(Files.readString(json)).contains("\"warmup\"", "\"stalls\"");
        assertThat(Program.schemaErrors(json)).isEmpty();
    }
}
