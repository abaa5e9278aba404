package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.Tree;

/// Experiments whose services run on another host, which is a namespace with a real sshd.
@Tag("sandbox")
@Tag("slow")
@Timeout(600)
class SshServicesTest extends TwoHostsTest {
    /// Four lanes of 20 ms answer 200 requests a second.
    static final String LANES =
            """
            name: lanes
            services:
              front:
                host: %s
                command: python3 /run/far/server.py --port 9095 --workers {lanes} --latency 20
                ready: { log: ready }
                knobs: { lanes: { value: 4, moves: server-concurrency, max: 64 } }
            sandbox: { server: { net.core.somaxconn: 77 }, client: { net.ipv4.tcp_tw_reuse: 1 } }
            load: { url: "http://{server}:9095/", connections: 32, duration: 1s, warmup: 0s }
            """
                    .formatted(SshBed.SERVER);

    private Program.Started start(String command, String text) throws Exception {
        String file = Files.writeString(program.file("lanes.yaml"), text).toString();
        return bed.alone(program).start(command, file, "--json", json.toString());
    }

    private JsonNode run() throws IOException {
        assertThat(Program.schemaErrors(json)).isEmpty();
        return JsonMapper.shared().readTree(Files.readAllBytes(json));
    }

    @Test
    void a_study_starts_its_services_there_if_the_user_there_allows_it() throws Exception {
        String study = LANES + "matrix: { lanes: [4, 32] }\nrepeat: 1\n";
        start("run", study)
                .end()
                .failed(
                        3,
                        "no service can be started here (on ssh:far@",
                        "there is no file " + SshBed.ALLOWED);
        bed.allowServices();
        // The option names the host as the key does.
        String file =
                Files.writeString(
                                program.file("lanes.yaml"),
                                study.replaceFirst("    host: .*\n", ""))
                        .toString();
        Program.Ended ended =
                bed.alone(program)
                        .start("run", file, "--server", SshBed.SERVER, "--json", json.toString())
                        .end()
                        .measured();
        assertThat(ended.err()).contains("services run on " + SshBed.SERVER);
        JsonNode run = run();
        assertThat(run.at("/trials").size()).isGreaterThanOrEqualTo(2);
        for (JsonNode trial : run.at("/trials")) {
            assertThat(trial.at("/factors/peerHost").asString()).isEqualTo("far-host");
            assertThat(trial.at("/factors/startSeconds").asDouble()).isPositive();
            assertThat(trial.at("/sandbox/serverWatched").asBoolean()).isTrue();
            JsonNode front = trial.at("/sandbox/services/0");
            assertThat(front.at("/name").asString()).isEqualTo("front");
            assertThat(front.at("/listens/0").asInt()).isEqualTo(9095);
            assertThat(front.at("/settings/lanes").asString())
                    .isEqualTo(trial.at("/factors/lanes").asString());
            assertThat(trial.at("/caveats").toString()).doesNotContain("\"peer-");
        }
        assertThat(ended.out().replaceAll("\\s+", " "))
                .contains("server-concurrency")
                .contains("net.core.somaxconn of the server stays at the host's ")
                .contains("net.ipv4.tcp_tw_reuse of the client stays at the host's ");
        assertThat(bed.farProcesses("server.py")).isEmpty();
        bed.awaitNothingThere();
    }

    /// Several hosts generate the load of a study and of find, by the option or by the file.
    @Test
    @Tag("long")
    void the_load_of_an_experiment_comes_from_other_hosts() throws Exception {
        bed.allowServices();
        String apart = LANES.replaceFirst(", client: .*\n", " }\n");
        String hosts = ", hosts: [%1$s, %1$s] }".formatted(SshBed.SERVER);
        String there = apart.replace(", warmup: 0s }", ", warmup: 0s" + hosts);
        Program.Ended ended =
                start("run", there + "matrix: { lanes: [4, 32] }\nrepeat: 1\n").end().measured();
        assertThat(ended.out().replaceAll("\\s+", " "))
                .contains("net.core.somaxconn of the server stays at the host's ");
        assertGenerated();
        String file = Files.writeString(program.file("lanes.yaml"), apart).toString();
        bed.alone(program)
                .start(
                        "find",
                        file,
                        "--generator",
                        SshBed.SERVER,
                        "--generator",
                        SshBed.SERVER,
                        "--json",
                        json.toString())
                .end()
                .measured();
        assertGenerated();
        assertThat(bed.farProcesses("server.py")).isEmpty();
        bed.awaitNothingThere();
    }

    @Test
    @Tag("long")
    void the_connections_of_an_experiment_come_from_other_hosts() throws Exception {
        bed.allowServices();
        String text =
                """
                name: held
                services:
                  mirror:
                    host: %1$s
                    command: python3 /run/far/mirror.py --port 9095
                    ready: { log: ready }
                load: { hold: "tcp://{server}:9095", connections: 61, interval: 100ms, duration: 1s, hosts: [%1$s, %1$s] }
                """
                        .formatted(SshBed.SERVER);
        // One address of the two agents' host has 28,232 ports.
        Program.Ended ended =
                start("run", text + "matrix: { connections: [31, 60k, 61] }\nrepeat: 1\n").end();
        assertThat(ended.err()).contains("30,000 connections to 10.77.0.2 do not fit");
        assertThat(run().at("/trials")).hasSize(2);
        JsonNode trial = run().at("/trials/1");
        assertThat(trial.at("/hold/fates/alive").asInt()).isEqualTo(61);
        assertThat(trial.at("/generators/0/connections").asInt()).isEqualTo(31);
        assertThat(trial.at("/generators/1/connections").asInt()).isEqualTo(30);
        assertThat(trial.at("/factors/peerHost").asString()).isEqualTo("far-host");
        assertThat(trial.at("/sandbox/services/0/name").asString()).isEqualTo("mirror");
        String own = text.replace("hosts:", "source: \"{client}\", hosts:");
        start("run", own).end().failed(2, "the source addresses \"{client}\" cannot be used");
        assertThat(bed.farProcesses("mirror.py")).isEmpty();
        bed.awaitNothingThere();
    }

    /// Four lanes of 20 ms answer at most 200 requests a second. In a trial of a second, 40 more
    /// may wait for less than the objective.
    @Test
    @Tag("long")
    void the_capacity_of_services_there_with_a_load_from_other_hosts() throws Exception {
        bed.allowServices();
        String text =
                LANES.replaceFirst(", client: .*\n", " }\n")
                        .replace(", warmup: 0s }", ", warmup: 0s, hosts: [%1$s, %1$s] }")
                        .formatted(SshBed.SERVER);
        start("capacity", text + "objective: p99 < 200ms\n").end().measured();
        JsonNode run = run();
        assertThat(run.at("/capacity/ratePerSecond").asDouble()).isBetween(100.0, 240.0);
        for (JsonNode trial : run.at("/trials")) {
            assertThat(trial.at("/factors/peerHost").asString()).isEqualTo("far-host");
            assertThat(trial.at("/generators")).hasSize(2);
        }
        bed.awaitNothingThere();
    }

    private void assertGenerated() throws Exception {
        JsonNode run = run();
        assertThat(run.at("/trials").size()).isGreaterThanOrEqualTo(2);
        for (JsonNode trial : run.at("/trials")) {
            int connections = trial.at("/load/connections").asInt();
            assertThat(trial.at("/generators")).hasSize(Math.min(2, connections));
            assertThat(trial.at("/generators/0/host").asString()).startsWith("far-host");
            assertThat(trial.at("/load/good").asLong()).isPositive();
            assertThat(trial.at("/factors/lanes").asString()).isNotEmpty();
            assertThat(trial.at("/factors/startSeconds").asDouble()).isPositive();
            assertThat(trial.at("/factors/peerHost").asString()).isEqualTo("far-host");
            assertThat(trial.at("/sandbox/services/0/name").asString()).isEqualTo("front");
            assertThat(trial.at("/caveats").toString()).doesNotContain("\"peer-");
        }
    }

    /// Both cells would have the host's value.
    @Test
    @Tag("long")
    void cells_whose_kernel_settings_nobody_can_set_there_are_not_compared() throws Exception {
        bed.allowServices();
        start("run", LANES + "matrix: { server.net.core.somaxconn: [77, 78] }\nrepeat: 1\n")
                .end()
                .failed(
                        3,
                        "cell 2 cannot be measured",
                        "net.core.somaxconn of the server stays at the host's ");
        bed.awaitNothingThere();
    }

    /// The heap may take three tenths of the limit, and each of 24 requests holds 1 MB in it.
    @Test
    @Tag("long")
    void the_smallest_limit_there_is_found_with_the_profile_of_the_jvm_there() throws Exception {
        bed.allowServices();
        bed.give(
                "PoolServer.java",
                Files.readAllBytes(
                        Tree.ROOT.resolve(
                                "wallfinder/src/test/resources/wallfinder/lab/PoolServer.java")));
        String java =
                "sh -c 'cat $RUN_JAVA_PROFILE /dev/null; exec {jvm}/bin/java"
                        + " -XX:MaxRAMPercentage=30 -XX:MinRAMPercentage=30 -XX:+UseSerialGC"
                        + " -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError"
                        + " /run/far/PoolServer.java 8082 1024 64 100 1024'";
        String text =
                """
                name: pool
                services:
                  pool:
                    host: %s
                    command: "%s"
                    jvm: /run/far/jvm
                    memory: 480m
                    ready: "tcp://{server}:8082"
                    readyWithin: 30s
                load: { url: "http://{server}:8082/", connections: 24, warmup: 0s, duration: 1s }
                fit: { step: 20m }
                objective: errors < 1%%
                """
                        .formatted(SshBed.ADMIN, java);
        Program.Ended ended = start("fit", text).end().measured();
        JsonNode only = run().at("/fit/candidates/0");
        assertThat(only.at("/warm/bytes").asLong())
                .as(ended.err())
                .isBetween(80L << 20, 400L << 20);
        assertThat(only.at("/warm/knockOut/kind").asString()).isIn("heap", "gc", "memory-limit");
        assertThat(only.at("/calibration/jvm/classes").asDouble()).isGreaterThan(400);
        assertThat(only.at("/calibration/jvm/loadedBytes").asDouble())
                .isGreaterThan(only.at("/calibration/jvm/liveBytes").asDouble());
        for (JsonNode trial : run().at("/trials")) {
            assertThat(trial.at("/factors/peerHost").asString())
                    .as(trial.at("/caveats").toString())
                    .isEqualTo("far-host");
        }
        assertThat(logs()).anyMatch(log -> log.contains("classes=") && log.contains("live-mb="));
        assertThat(bed.farProcesses("PoolServer")).isEmpty();
        bed.awaitNothingThere();
    }

    private List<String> logs() throws IOException {
        try (Stream<Path> files = Files.walk(program.file("runs"))) {
            List<String> logs = new ArrayList<>();
            for (Path log : files.filter(file -> file.endsWith("pool.log")).toList()) {
                logs.add(Files.readString(log));
            }
            return logs;
        }
    }

    @Test
    void a_service_that_does_not_get_ready_there_is_one_error_with_its_output() throws Exception {
        bed.allowServices();
        start("run", LANES.replace("--workers {lanes}", "--no-such-option"))
                .end()
                .failed(3, "front", "--no-such-option", "(on ssh:far@");
        bed.awaitNothingThere();
    }

    @Test
    void a_killed_run_leaves_no_service_and_no_cgroup() throws Exception {
        bed.allowServices();
        Program.Started run = start("run", LANES.replace("duration: 1s", "duration: 10m"));
        Program.await(() -> {
            try {
                return !bed.farProcesses("server.py").isEmpty();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        run.process().destroyForcibly().waitFor();
        bed.awaitNothingThere();
        assertThat(bed.farProcesses("server.py")).isEmpty();
        assertThat(bed.farther("ls /tmp")).doesNotContain("wallfinder-agent-");
        // The next sandbox removes the locks of killed runs.
        for (var lock : Program.children(program.file("run/wallfinder"), "*")) {
            Files.delete(lock);
        }
    }

    @Test
    @Tag("long")
    void find_turns_a_knob_there_and_proves_the_gain() throws Exception {
        bed.allowServices();
        Program.Ended found = start("find", LANES + "repeat: 3\n").end().measured();
        JsonNode rung = run().at("/ladder/0");
        assertThat(rung.at("/wall").asString()).as(found.out()).isEqualTo("server-concurrency");
        assertThat(rung.at("/verified").asBoolean()).as(found.out()).isTrue();
        assertThat(rung.at("/gain").asDouble()).isBetween(4.0, 12.0);
        assertThat(bed.farProcesses("server.py")).isEmpty();
        bed.awaitNothingThere();
    }
}
