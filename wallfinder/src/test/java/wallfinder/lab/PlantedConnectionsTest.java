package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;

/// Exhausted pools of connections inside a service and in a client, each with a control.
@Tag("sandbox")
class PlantedConnectionsTest extends PlantedTest {
    private static final String WALL = "client-connections";

    /// 40 clients send requests. Each request takes 30 ms of another service.
    private static String front(int pool) {
        return """
        services:
          behind: { command: python3 $server.py --port 9090 --latency 30, ready: { log: ready } }
          front:
            command: python3 $front.py 8081 9090 {pool}
            ready: { log: ready }
            knobs: { pool: { value: %d, moves: client-connections, max: 64 } }
        load: { url: "http://{server}:8081/", connections: 40, warmup: 0s, duration: 3s }
        repeat: 2
        """
                .formatted(pool);
    }

    @Test
    void a_service_that_waits_for_its_few_connections_is_named_at_the_servers_end()
            throws Exception {
        RunRecord.Trial trial = run.planted(WALL, front(4), 40);
        PlantedRun.assertNamed(trial, WALL, End.SERVER, "ports[].busy");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    @Test
    void a_service_with_a_connection_for_each_request_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(front(60), 40);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    /// From outside, the figures are the same, but the pool of threads behind them is exhausted.
    @Test
    void a_pool_of_threads_behind_the_service_is_named_as_server_concurrency() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        "server-concurrency",
                        """
                        services:
                          behind:
                            command: python3 $server.py --port 9090 --latency 30 --workers 4
                            ready: { log: ready }
                          front: { command: python3 $front.py 8081 9090 60, ready: { log: ready } }
                        load: { url: "http://{server}:8081/", connections: 40, warmup: 0s,
                          duration: 3s }
                        """,
                        40);
        PlantedRun.assertNamed(trial, "server-concurrency", End.SERVER);
    }

    @Test
    @Tag("long")
    void find_enlarges_the_pool_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(front(4), WALL, End.SERVER);
        PlantedRun.assertChanged(rung, new Setting.OfKnob("front", "pool"), "4", "40");
        assertThat(rung.remedy().kept()).isTrue();
    }

    private RunRecord.Trial client(int threads, int connections) throws Exception {
        return run.control(
                """
                services:
                  planted: { command: python3 $server.py --port 8081 --latency 20,
                    ready: { log: ready } }
                load:
                  command: "{clientJvm}/bin/java $PoolClient.java {server} 8081 %d %d 6"
                  jvm: 25
                  measure: { requests: 'answered: (\\d+)', seconds: 'seconds: ([\\d.]+)' }
                  duration: 30s
                """
                        .formatted(threads, connections),
                0);
    }

    @Test
    void a_client_whose_threads_wait_for_its_few_connections_is_named_at_its_own_end()
            throws Exception {
        RunRecord.Trial trial = client(24, 4);
        PlantedRun.assertNamed(trial, WALL, End.CLIENT, "threads that wait for another");
    }

    @Test
    void a_client_with_a_connection_for_each_thread_is_not_named() throws Exception {
        RunRecord.Trial trial = client(24, 24);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
    }
}
