package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `run` as a user starts it.
@Tag("sandbox")
@Tag("slow")
@Timeout(240)
class RunCommandTest extends ProgramTest {
    private static final Path SERVER =
            Program.ROOT.resolve("wallfinder/src/test/resources/wallfinder/lab/server.py");
    private static final String STUDY =
            """
            name: crew
            services:
              front:
                command: python3 %s --port 9092 --workers {crew} --latency {wait}
                ready: { log: ready }
                knobs: { crew: { value: 1, moves: server-concurrency } }
            load: { url: "http://{server}:9092/", connections: 8, duration: 300ms, warmup: 0s }
            matrix:
              crew: [1, 8]
              wait: [5, 15]
            repeat: 2
            """
                    .formatted(SERVER);

    @Test
    void a_study_resumes_after_ctrl_c_and_after_kill_9_and_repeats_no_trial() throws Exception {
        String study = Files.writeString(program.file("crew.yaml"), STUDY).toString();

        Program.Started first = program.start("run", study);
        Program.Ended interrupted = first.awaitOutput("cell 1 of 4").signalled("INT").done(130);
        assertThat(interrupted.err()).contains("4 cells, 2 rounds: 8 trials");
        assertThat(interrupted.err())
                .containsPattern(
                        "services run as .*\\R  look inside with: nsenter -t \\d+ -n ss -ltn");
        assertThat(interrupted.out()).contains("Ended: interrupted", "crew  wait");
        String run = program.runs().getFirst();
        Map<String, byte[]> kept = measured(program, run);
        assertThat(kept).containsKey("round-1-cell-1.json.gz").hasSizeLessThan(8);

        Program.Started second = program.start("run", study, "--resume", "runs/" + run);
        second.awaitOutput("round 1 of 2, cell 4 of 4").process().destroyForcibly().waitFor();
        kept = measured(program, run);
        assertThat(kept).hasSizeBetween(4, 7);

        Program.Ended done = program.run("run", study, "--resume").measured();
        assertThat(done.err()).contains(kept.size() + " of them measured before");
        Map<String, byte[]> all = measured(program, run);
        kept.forEach((name, bytes) -> assertThat(all.get(name)).as(name).isEqualTo(bytes));
        assertThat(program.runs()).containsExactly(run);
        JsonNode json = json(program, run);
        assertThat(cells(json)).isEqualTo(List.of("1 5", "1 15", "8 5", "8 15"));
        assertThat(names(json)).doesNotHaveDuplicates().hasSize(all.size());
        assertThat(names(json).filter(name -> !name.endsWith("-again"))).hasSize(8);
        assertThat(json.at("/trials/0/factors/crew").isNumber()).isTrue();
        assertThat(program.text("runs", "report.html")).contains("Effects", "round-2-cell-3");
        assertThat(done.out()).contains("Effects", "crew 8 against 1", "Ended: all cells");

        Files.writeString(program.file("crew.yaml"), STUDY.replace("repeat: 2", "repeat: 3"));
        program.run("run", study, "--resume").failed(2, "the experiment changed since then");

        Files.writeString(program.file("crew.yaml"), STUDY);
        assertThat(done.judged(() -> program.run("run", study).measured()).out())
                .contains("Best: cell 3 (crew 8, wait 5)");
        JsonNode judged = json(program, program.runs().getLast());
        assertThat(judged.at("/study/effects/0/throughput/ratio").asDouble()).isGreaterThan(2);
        assertThat(judged.at("/study/best/0/cell").asInt()).isEqualTo(3);
    }

    @Test
    void a_missing_jvm_is_skipped_with_a_message_and_a_service_that_does_not_start_is_reported()
            throws Exception {
        String text =
                Files.readString(program.experiment(8080, "{how}", ""))
                        + "matrix: { jvm: [9, 25], how: [8080, exit] }\nrepeat: 3\n"
                        + "objective: rate > 1M\n";
        Path study = Files.writeString(program.file("jvms.yaml"), text);

        Program.Ended ended = program.run("run", study.toString());

        assertThat(ended.code()).as(ended.err()).isIn(1, 4);
        assertThat(ended.err())
                .contains("cells are skipped: there is no JVM 9: none of that version");
        assertThat(ended.out())
                .contains(
                        "cell 1 (jvm 9, how 8080): skipped: there is no JVM 9",
                        "cell 4 (jvm 25, how exit): ",
                        "MISSED in cells ",
                        "all cells were measured except 1, 2, 4");
        JsonNode json = json(program, program.runs().getFirst());
        assertThat(names(json).filter(name -> !name.endsWith("-again")))
                .containsExactlyInAnyOrder("round-1-cell-3", "round-2-cell-3", "round-3-cell-3");
        assertThat(json.at("/trials/0/factors/jvm").asString()).isEqualTo("25");
        assertThat(json.at("/trials/0/factors/jvm").isString()).isTrue();
        // After two failures the third trial of a cell is left out.
        assertThat(json.at("/study/cells/3/failed").asInt()).isEqualTo(2);
    }

    @Test
    @Tag("long")
    void a_resumed_run_repeats_what_failed() throws Exception {
        Files.writeString(
                program.file("crew.yaml"),
                """
                name: later
                services:
                  front:
                    command: python3 %s/{program}.py --port 9092
                    ready: { log: ready }
                load: { url: "http://{server}:9092/", connections: 1, duration: 300ms, warmup: 0s }
                matrix: { program: [there, later] }
                repeat: 1
                """
                        .formatted(folder));
        Files.copy(SERVER, program.file("there.py"));
        String study = program.file("crew.yaml").toString();
        Program.Ended first = program.run("run", study).measured();
        assertThat(first.out()).contains("all cells were measured except 2");
        String run = program.runs().getFirst();
        byte[] kept = measured(program, run).get("round-1-cell-1.json.gz");

        Files.copy(SERVER, program.file("later.py"));
        Program.Ended second = program.run("run", study, "--resume").measured();

        assertThat(second.err()).contains("1 of them measured before, 1 failed trial to repeat");
        assertThat(second.out()).contains("Ended: all cells were measured\n");
        assertThat(measured(program, run))
                .containsOnlyKeys("round-1-cell-1.json.gz", "round-1-cell-2.json.gz")
                .containsEntry("round-1-cell-1.json.gz", kept);
        assertThat(json(program, run).required("trials").size()).isEqualTo(2);
    }

    @Test
    void a_run_whose_only_cell_fails_ends_with_its_error_and_can_be_resumed() throws Exception {
        Path later = program.file("later.py");
        String study =
                Files.writeString(
                                program.file("later.yaml"),
                                """
                                name: later
                                services:
                                  front:
                                    command: python3 %s --port 9092
                                    ready: { log: ready }
                                load: { url: "http://{server}:9092/", connections: 1, duration: 300ms, warmup: 0s }
                                repeat: 3
                                """
                                        .formatted(later))
                        .toString();
        program.run("run", study)
                .failed(3, "the service front ended before it was ready", "later.py");
        String run = program.runs().getFirst();
        assertThat(measured(program, run))
                .containsOnlyKeys("round-1-cell-1.json.gz", "round-2-cell-1.json.gz");

        Files.copy(SERVER, later);
        Program.Ended resumed = program.run("run", study, "--resume").measured();

        assertThat(resumed.err()).contains("3 trials, 2 failed trials to repeat");
        assertThat(resumed.out()).contains("Ended: all cells were measured\n");
        assertThat(program.runs()).containsExactly(run);
        assertThat(names(json(program, run)).filter(name -> !name.endsWith("-again")))
                .containsExactly("round-1-cell-1", "round-2-cell-1", "round-3-cell-1");
    }

    private static Map<String, byte[]> measured(Program program, String run) throws IOException {
        Map<String, byte[]> files = new HashMap<>();
        Path measured = program.file("runs").resolve(run).resolve("measured");
        for (Path file : Program.children(measured, "[!.]*")) {
            files.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
        return files;
    }

    private static JsonNode json(Program program, String run) throws IOException {
        Path file = program.file("runs").resolve(run).resolve("run.json");
        assertThat(Program.schemaErrors(file)).isEmpty();
        return JsonMapper.builder().build().readTree(Files.readAllBytes(file));
    }

    private static Stream<String> names(JsonNode json) {
        return json.required("trials").valueStream().map(trial -> trial.get("name").asString());
    }

    private static List<String> cells(JsonNode json) {
        return json.at("/study/cells")
                .valueStream()
                .map(cell ->
                        cell.at("/factors/crew").asInt() + " " + cell.at("/factors/wait").asInt())
                .toList();
    }
}
