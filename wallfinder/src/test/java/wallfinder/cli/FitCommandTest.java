package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `fit` as a user starts it.
@Tag("sandbox")
@Tag("slow")
@Timeout(400)
class FitCommandTest extends ProgramTest {
    private static final Path SERVER =
            Program.ROOT.resolve("wallfinder/src/test/resources/wallfinder/lab/server.py");

    /// Each of 20 requests takes the memory that its candidate sets, in KiB. Beside the server's
    /// own 12 MB that is 112 MB or 42 MB: far from each multiple of the step.
    static final String FIT =
            """
            name: held
            services:
              front:
                command: python3 %s --port 9094 --latency 50 --memory {candidate.held}
                memory: 256m
                ready: { log: ready }
            load: { url: "http://{server}:9094/", connections: 20, duration: 500ms, warmup: 0s }
            fit:
              step: 32m
              candidates: [{ name: much, held: 5120 }, { name: little, held: 1536 }]
            repeat: 2
            objective: errors < 1%%
            """
                    .formatted(SERVER);

    @Test
    void the_smallest_limit_of_one_candidate_is_found_and_proven() throws Exception {
        String little = FIT.replace("{ name: much, held: 5120 }, ", "");
        Program.Ended ended = program.run("fit", file(little)).done(0);

        assertThat(ended.out())
                .contains("memory-limit, 3 of 3", "little with ", "Ended: all limits were found");
        JsonNode warm = json().at("/fit/candidates/0/warm");
        assertThat(warm.get("bytes").asLong()).isEqualTo(64L << 20);
        assertThat(warm.at("/knockOut/kind").asString()).isEqualTo("memory-limit");
    }

    @Test
    @Tag("long")
    void the_smallest_limits_are_found_proven_compared_and_kept() throws Exception {
        Program.Ended ended = program.run("fit", file(FIT)).done(0);

        assertThat(ended.err()).contains("much:", "is predicted", "memory against throughput:");
        assertThat(ended.out())
                .contains("held: the smallest memory limit of front, in steps of 32m")
                .contains("memory-limit, 3 of 3", "Memory against throughput")
                .contains("The smallest limit: little with ")
                .contains("Ended: all limits were found");
        JsonNode json = json();
        JsonNode much = json.at("/fit/candidates/0/warm");
        JsonNode little = json.at("/fit/candidates/1/warm");
        assertThat(little.get("bytes").asLong()).isLessThan(much.get("bytes").asLong());
        assertThat(little.at("/knockOut/kind").asString()).isEqualTo("memory-limit");
        assertThat(json.at("/fit/headline/firstBytes").asLong())
                .isEqualTo(much.get("bytes").asLong());
        assertThat(json.at("/study/cells").size()).isGreaterThanOrEqualTo(2);
        assertThat(program.text("runs", "report.html")).contains("All trials", "little-");
    }

    @Test
    void after_ctrl_c_what_was_measured_is_kept() throws Exception {
        Program.Ended ended =
                program.start("fit", file(FIT))
                        .awaitOutput("is predicted")
                        .signalled("INT")
                        .done(130);
        assertThat(ended.out()).contains("Ended: interrupted", "much");
        assertThat(json().at("/fit/candidates/0/calibration/limitBytes").asLong())
                .isEqualTo(256L << 20);
    }

    @Test
    void a_fit_that_fails_prints_and_keeps_what_it_measured() throws Exception {
        Path jvm = program.experiment("memory: 200m");
        Files.writeString(
                jvm,
                """
                fit: { step: 10m }
                objective: errors < 1%
                """,
                StandardOpenOption.APPEND);
        Path out = program.file("out");
        Files.createDirectories(out.resolve("web-run-java.profile"));
        Program.Ended ended = program.run("fit", jvm.toString(), "--out", out.toString()).done(3);
        assertThat(ended.out()).contains("web ", "Ended: it failed: the profile cannot be kept in");
        assertThat(ended.err()).contains("wallfinder: the profile cannot be kept in ");
        assertThat(Program.schemaErrors(out.resolve("run.json"))).isEmpty();
    }

    @Test
    void a_service_that_is_never_ok_is_exit_code_1_and_one_that_cannot_start_is_3()
            throws Exception {
        Program.Ended never =
                program.run("fit", file(FIT.replace("256m", "80m").replace("1536", "8192")))
                        .done(1);
        assertThat(never.out())
                .contains("much: even with 80m it is not OK: memory-limit")
                .contains("no limit was found for much, little");
        program.run("fit", file(FIT.replace("python3 ", "no-such-program ")))
                .failed(3, "install the program no-such-program");
    }

    private String file(String text) throws IOException {
        return Files.writeString(program.file("held.yaml"), text).toString();
    }

    private JsonNode json() throws IOException {
        Path file = program.file("runs").resolve(program.runs().getFirst()).resolve("run.json");
        assertThat(Program.schemaErrors(file)).isEmpty();
        return JsonMapper.builder().build().readTree(Files.readAllBytes(file));
    }
}
