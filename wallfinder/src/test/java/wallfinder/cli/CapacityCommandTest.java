package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.lab.PlantedRun;

/// `capacity` as a user starts it.
@Tag("slow")
@Timeout(300)
class CapacityCommandTest extends ProgramTest {
    /// Four workers that take 20 ms answer 200 requests a second at most. With shorter times the
    /// server would keep a CPU busy, and the generator may need it.
    @Test
    @Tag("long")
    void the_capacity_of_four_workers_is_below_what_they_can_do() throws Exception {
        int port = ProfileCommandTest.freePort();
        Process service =
                new ProcessBuilder(
                                System.getProperty("java.home") + "/bin/java",
                                "-cp",
                                compiled().toString(),
                                "QueueServer",
                                Integer.toString(port),
                                "4",
                                "20",
                                "fixed",
                                "1")
                        .start();
        try {
            assertThat(service.inputReader().readLine()).isEqualTo("ready");
            Program.Ended ended =
                    program.run(
                            "capacity",
                            "http://127.0.0.1:" + port + "/",
                            "-d",
                            "2s",
                            "--warmup",
                            "0s",
                            "--objective",
                            "p90 < 60ms, capacity > 100k",
                            "--json",
                            json.toString());
            assertThat(ended.done(1).out())
                    .contains("pairs of trials: the objective held", "p90 < 60ms", "Files: ");
            assertCapacity(120, 220);
        } finally {
            service.destroyForcibly();
            assertThat(service.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private Path compiled() {
        return PlantedRun.compiled("QueueServer.java", folder.resolve("classes"));
    }

    private void assertCapacity(double least, double most) throws Exception {
        assertThat(Program.schemaErrors(json)).isEmpty();
        JsonNode capacity = JsonMapper.shared().readTree(json.toFile()).at("/capacity");
        double rate = capacity.at("/ratePerSecond").asDouble();
        assertThat(rate).isBetween(least, most);
        assertThat(capacity.at("/low").asDouble()).isLessThan(rate);
        assertThat(capacity.at("/pairs").size()).isGreaterThanOrEqualTo(6);
    }

    /// Four workers that take 20 ms answer 200 requests a second at most.
    @Test
    @Tag("sandbox")
    @Tag("long")
    void each_pair_has_fresh_services_with_an_experiment() throws Exception {
        Path experiment =
                Files.writeString(
                        program.file("queue.yaml"),
                        """
                        services:
                          queue:
                            command: "{jvm}/bin/java -cp %s QueueServer 8080 4 20 fixed"
                            ready: tcp://{server}:8080
                        load: { url: "http://{server}:8080/", connections: 100, warmup: 1s, duration: 2s }
                        objective: p90 < 60ms
                        """
                                .formatted(compiled()));
        Program.Ended ended =
                program.run("capacity", experiment.toString(), "--json", json.toString());
        assertThat(ended.done(0).out())
                .contains("pairs of trials, each with fresh services", "p90 < 60ms", "Files: ");
        assertCapacity(120, 220);
    }

    /// A pool of four workers that take 20 ms answers 200 requests a second at most, one of eight
    /// 400.
    @Test
    @Tag("sandbox")
    @Tag("long")
    void find_raises_the_capacity_by_the_knob_of_the_wall() throws Exception {
        Path experiment =
                Files.writeString(
                        program.file("raise.yaml"),
                        """
                        services:
                          queue:
                            command: "{jvm}/bin/java -cp %s PoolServer 8080 1024 {workers} 20"
                            ready: tcp://{server}:8080
                            knobs: { workers: { value: 4, moves: server-concurrency, max: 8 } }
                        load: { url: "http://{server}:8080/", connections: 100, duration: 4s }
                        objective: p90 < 60ms, capacity > 300
                        goal: capacity
                        """
                                .formatted(
                                        PlantedRun.compiled(
                                                "PoolServer.java", folder.resolve("classes"))));
        Program.Ended ended = program.run("find", experiment.toString(), "--json", json.toString());
        assertThat(ended.done(0).out())
                .contains(
                        "capacity/s",
                        "workers 4 -> 8",
                        "without it the objective was missed in 3 of 3");
        assertCapacity(240, 420);
        JsonNode rung = JsonMapper.shared().readTree(json.toFile()).at("/ladder/0");
        assertThat(rung.at("/wall").asString()).isEqualTo("server-concurrency");
        assertThat(rung.at("/gain").asDouble()).isBetween(1.6, 2.4);
        assertThat(rung.at("/verified").asBoolean()).isTrue();
    }

    @Test
    void a_url_without_a_service_is_one_error() throws Exception {
        program.run("capacity", "http://127.0.0.1:9/", "--objective", "p99<1s")
                .failed(3, "nothing answers at");
    }
}
