package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `run` of an experiment that holds connections, as a user starts it.
@Tag("sandbox")
@Tag("slow")
@Timeout(240)
class HoldStudyTest extends ProgramTest {
    private static final Path MIRROR =
            Program.ROOT.resolve("wallfinder/src/test/resources/wallfinder/lab/mirror.py");
    static final String STUDY =
            """
            name: keep
            services:
              front: { command: python3 %s --port 9093 --ports 2, ready: { log: ready } }
            sandbox:
              client: { net.ipv4.ip_local_port_range: "{range}" }
            load:
              hold: tcp://{server}:9093-9094
              connections: 400
              source: "{client}"
              interval: 100ms
              duration: 1s
            matrix:
              range: ["30000 30299", "30000 30399", "30000 30099"]
            repeat: 2
            objective: errors < 1%%
            """
                    .formatted(MIRROR);

    @Test
    void the_table_shows_the_connections_alive_and_the_connect_rate() throws Exception {
        String study = Files.writeString(program.file("keep.yaml"), STUDY).toString();

        Program.Ended ended = program.run("run", study);

        assertThat(ended.code()).as(ended.err()).isIn(1, 4);
        assertThat(ended.err()).contains("400 of 400 alive");
        assertThat(ended.out())
                .contains(
                        "alive  errors  connects/s  messages/s",
                        "user/connection",
                        "range 30000 30399 against 30000 30299",
                        "    connects ",
                        "    messages ",
                        "cell 3 (range 30000 30099): 400 connections to 198.18.0.1 do not fit",
                        "MISSED in cells 3");
        JsonNode json = json(program, program.runs().getFirst());
        assertThat(json.required("trials").size()).isPositive();
        for (JsonNode trial : json.required("trials")) {
            assertThat(trial.at("/hold/fates/alive").asInt()).isEqualTo(400);
            assertThat(trial.at("/hold/sockets").valueStream())
                    .hasSize(2)
                    .allMatch(end -> end.required("asAlive").asBoolean());
            assertThat(trial.required("objectiveMet").asBoolean()).isTrue();
        }
        JsonNode held = json.at("/study/cells/0/figures/held");
        assertThat(held.required("alive").asInt()).isEqualTo(400);
        assertThat(held.required("connectsPerSecond").asDouble()).isPositive();
    }

    private static JsonNode json(Program program, String run) throws Exception {
        Path file = program.file("runs").resolve(run).resolve("run.json");
        assertThat(Program.schemaErrors(file)).isEmpty();
        return JsonMapper.builder().build().readTree(Files.readAllBytes(file));
    }
}
