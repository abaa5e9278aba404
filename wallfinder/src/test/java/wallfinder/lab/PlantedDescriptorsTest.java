package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ProcessFigure;
import wallfinder.record.RunRecord;

/// Servers and clients that run out of descriptors, each with a control that differs in one value.
@Tag("sandbox")
class PlantedDescriptorsTest extends PlantedTest {
    private static final String WALL = "file-descriptors";

    /// A hundred kept connections to a server that needs a few more descriptors.
    private static String hundred(int descriptors, int backlog) {
        return """
        services:
          planted: { command: "python3 $server.py --port 8081 --latency 20 --backlog %d",
            nofile: %d, ready: { log: ready } }
        sandbox: { server: { net.core.somaxconn: 4096 } }
        load: { url: "http://{server}:8081/", connections: 100, warmup: 0s, duration: 3s }
        """
                .formatted(backlog, descriptors);
    }

    @Test
    void a_server_without_a_descriptor_left_is_named_from_outside() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, hundred(64, 1024), 100);
        PlantedRun.assertNamed(
                trial, WALL, End.SERVER, "process[].descriptors", "listen[].queue", "unanswered");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void nginx_without_a_descriptor_left_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        WALL,
                        """
                        services:
                          planted: { command: "%s", nofile: 64, ready: "tcp://{server}:8082" }
                        load: { url: "http://{server}:8082/", connections: 100, timeout: 500ms,
                          warmup: 0s, duration: 2s }
                        """
                                .formatted(Nginx.service(folder, 8082)),
                        100);
        PlantedRun.assertHeadline(trial, WALL, End.SERVER, "process[].descriptors");
    }

    /// Node.js closes the connections for which it has no descriptor.
    @Test
    @Tag("long")
    void a_server_that_closes_what_it_cannot_accept_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        WALL,
                        """
                        services:
                          planted: { command: node $server.js --port 8083 --latency 20, nofile: 70,
                            ready: { log: ready } }
                        load: { url: "http://{server}:8083/", connections: 100, warmup: 0s,
                          duration: 2s }
                        """,
                        100);
        PlantedRun.assertHeadline(trial, WALL, End.SERVER, "process[].descriptors", "closed");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    /// Each of 40 requests opens a file for 20 ms, and closes its connection if it gets none.
    private static String files(int descriptors) {
        return """
        services:
          planted: { command: python3 $server.py --port 8084 --latency 20 --open 1, nofile: %d,
            ready: { log: ready } }
        load: { url: "http://{server}:8084/", connections: 40, warmup: 0s, duration: 2s }
        """
                .formatted(descriptors);
    }

    @Test
    @Tag("long")
    void a_server_that_cannot_open_a_file_for_each_request_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, files(72), 40);
        PlantedRun.assertHeadline(trial, WALL, End.SERVER, "process[].descriptors", "closed");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void a_server_with_descriptors_for_all_files_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(files(140), 40);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.observation().load().errors()).isEmpty();
    }

    @Test
    @Tag("long")
    void missing_descriptors_are_the_cause_of_an_overflowing_accept_queue() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, hundred(64, 8), 100);
        PlantedRun.assertNamed(trial, WALL, End.SERVER, KernelCounter.LISTEN_OVERFLOWS.text());
        assertThat(trial.diagnosis().ruledOut())
                .anySatisfy(ruledOut -> {
                    assertThat(ruledOut.wall().id().word()).isEqualTo("accept-queue");
                    assertThat(ruledOut.because()).contains("no descriptor to accept with");
                });
    }

    @Test
    @Tag("long")
    void a_server_that_uses_two_thirds_of_its_descriptors_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(hundred(160, 1024), 100);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.largest(trial, ProcessFigure.DESCRIPTORS.of("planted")))
                .isBetween(0.5 * 160, 0.8 * 160);
        assertThat(PlantedRun.driven(trial).inFlight()).isZero();
        if (!PlantedRun.starved(trial)) {
            PlantedRun.assertVerdict(trial, Verdict.NONE);
        }
    }

    /// nginx in front of another service. Each request needs a descriptor for the client and, for
    /// 50 ms, one for the upstream.
    private RunRecord.Trial proxy(int descriptors) throws Exception {
        String nginx =
                Nginx.service(
                        folder, 8081, "proxy_pass http://127.0.0.1:9090; proxy_http_version 1.1;");
        return run.planted(
                WALL,
                """
                services:
                  behind: { command: python3 $server.py --port 9090 --latency 50,
                    ready: { log: ready } }
                  planted: { command: "%s", nofile: %d, ready: "tcp://{server}:8081" }
                load: { url: "http://{server}:8081/", connections: 40, warmup: 0s, duration: 2s }
                """
                        .formatted(nginx, descriptors),
                40);
    }

    @Test
    @Tag("long")
    void a_proxy_that_needs_two_descriptors_for_each_request_is_named() throws Exception {
        RunRecord.Trial trial = proxy(64);
        PlantedRun.assertHeadline(trial, WALL, End.SERVER, "process[].descriptors");
    }

    @Test
    @Tag("long")
    void a_proxy_with_enough_descriptors_is_not_named() throws Exception {
        RunRecord.Trial trial = proxy(160);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.observation().load().errors()).doesNotContainKey("status-5xx");
    }

    /// The queue is too short for the batches, while two thirds of the descriptors are in use.
    @Test
    @Tag("long")
    void an_accept_queue_that_overflows_by_itself_is_not_blamed_on_descriptors() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        """
                        services:
                          planted:
                            command: >-
                              python3 $server.py --port 8081 --backlog=8 --accept-pause 20
                              --latency 20
                            nofile: 48
                            ready: { log: ready }
                        load: { url: "http://{server}:8081/", connections: 24, keepalive: false,
                          arrival: lockstep, warmup: 0s, duration: 2s }
                        """,
                        24);
        PlantedRun.assertNamed(trial, "accept-queue", End.SERVER);
    }

    @Tag("long")
    @Test
    void find_raises_the_limit_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(
                        """
                        services:
                          front: { command: python3 $server.py --port 9081 --latency 100,
                            nofile: 64, ready: { log: ready } }
                        load: { url: "http://{server}:9081/", connections: 100, timeout: 500ms,
                          warmup: 0s, duration: 2s }
                        repeat: 2
                        """,
                        WALL,
                        End.SERVER);
        PlantedRun.assertChanged(
                rung, new Setting.OfLimit("front", Limits.Kind.NOFILE), "64", "256");
        assertThat(rung.remedy().before().errors()).isPositive();
        assertThat(rung.remedy().kept()).isTrue();
    }

    /// A client program opens 300 connections to one address and holds them for six seconds. The
    /// sampler reads its limit at least every five seconds.
    private RunRecord.Trial client(int descriptors) throws Exception {
        return run.control(
                """
                services:
                  planted: { command: python3 $server.py --port 8081, ready: { log: ready } }
                load: { command: "prlimit --nofile=%d python3 $connect.py {server} 8081 300 6",
                  measure: { requests: 'opened: (\\d+)', errors: 'errors: (\\d+)' }, duration: 20s }
                """
                        .formatted(descriptors),
                0);
    }

    @Test
    @Tag("long")
    void a_client_without_a_descriptor_left_is_named_at_its_own_end() throws Exception {
        RunRecord.Trial trial = client(256);
        PlantedRun.assertNamed(trial, WALL, End.CLIENT, "process[].descriptors");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void a_client_that_uses_three_quarters_of_its_descriptors_is_not_named() throws Exception {
        RunRecord.Trial trial = client(400);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.observation().load().answered()).isEqualTo(300);
    }
}
