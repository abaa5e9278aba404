package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

/// The output and the files of `load`.
@Tag("slow")
@Tag("sandbox")
@Timeout(180)
class LoadResultsTest extends ProgramTest {
    private TinyServer server;

    @BeforeEach
    void a_server() throws IOException {
        server = new TinyServer(0);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
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
    @Tag("long")
    void an_objective_of_several_bounds_is_missed_if_one_of_them_is() throws Exception {
        String met = "errors<=0%, rate>1, p99<9s, max < 9s";
        assertThat(load("-c", "2", "-d", "1s", "--objective", met).measured().out())
                .contains("The objective was met.");
        Program.Ended missed = load("-c", "2", "-d", "1s", "--objective", met + ",rate>100k");
        assertThat(missed.code()).isIn(1, 4);
        assertThat(missed.out()).contains("The objective was MISSED.");
    }

    /// `/dev/full` is a disk without space.
    @Test
    void a_file_that_cannot_be_written_is_one_error_and_the_others_are_written() throws Exception {
        Path metrics = program.file("metrics.txt");
        Path kept = program.file("kept");
        program.run(
                        "load",
                        server.url(),
                        "-c",
                        "2",
                        "-d",
                        "300ms",
                        "--quiet",
                        "--junit",
                        "/dev/full",
                        "--openmetrics",
                        metrics.toString(),
                        "--out",
                        kept.toString())
                .failed(3, "No space left on device");
        assertThat(metrics).content().endsWith("# EOF\n");
        assertThat(kept.resolve("run.json")).isNotEmptyFile();
    }

    /// The word after `--web` is its port only if it is a number.
    @Test
    void the_view_for_browsers_has_an_address_and_ends_with_the_run() throws Exception {
        Program.Ended ended =
                program.run("load", "-c", "2", "-d", "300ms", "--quiet", "--web", server.url());
        assertThat(ended.measured().err())
                .containsPattern("live at http://127\\.0\\.0\\.1:\\d+/[0-9a-f]{32}/");
        program.run("load", server.url(), "--web", Integer.toString(server.port()))
                .failed(3, "--web " + server.port() + " cannot be used");
    }

    @Test
    void a_poisson_process_is_named_in_the_result() throws Exception {
        assertThat(load("-R", "50", "--poisson", "-d", "200ms").measured().out())
                .contains("50/s asked as a Poisson process");
        assertThat(Files.readString(json)).contains("\"arrival\" : \"poisson\"");
        long seed = seed();
        load("-R", "50", "--poisson", "-d", "200ms").measured();
        assertThat(seed()).as("each load has its own chance").isPositive().isNotEqualTo(seed);
    }

    private long seed() {
        return JsonMapper.shared()
                .readTree(json.toFile())
                .at("/trials/0/load/openLoop/seed")
                .asLong();
    }

    @Test
    void stages_are_driven_for_their_length_and_named_in_the_result() throws Exception {
        String out =
                load("--stages", "500ms:40,500ms:40-80", "--stages", "200ms:0").measured().out();
        assertThat(out).contains("40/s for 0.5 s", "40/s to 80/s in 0.5 s");
        assertThat(Files.readString(json)).contains("\"arrival\" : \"stages\"");
        // 20 of the step and 30 of the ramp, less those that were due while connections opened.
        Matcher answered = Pattern.compile("(\\d+) answered").matcher(out);
        assertThat(answered.find()).isTrue();
        assertThat(Integer.parseInt(answered.group(1))).isBetween(10, 51);
    }

    @Test
    void the_result_shows_the_warm_up_and_the_state_of_the_generator() throws Exception {
        String out = load("-c", "2", "-d", "1s", "--warmup", "500ms").measured().out();
        assertThat(out)
                .containsPattern("warm-up +[0-9,]+ answers in [0-9.]+ s before, not counted");
        assertThat(out).containsPattern("generator +busy \\d+ % of the time, waited .* for a CPU,");
        assertThat(Files.readString(json)).contains("\"warmup\"", "\"stalls\"");
        assertThat(Program.schemaErrors(json)).isEmpty();
    }
}
