package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
    @Tag("long")
    void a_service_with_a_connection_for_each_request_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(front(60), 40);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    /// The service behind works on this many requests at a time; there are enough connections.
    private static String slow(String front, int workers) {
        return """
        services:
          behind:
            command: python3 $server.py --port 9090 --latency 30 --workers {workers}
            ready: { log: ready }
            knobs: { workers: { value: %d, moves: slow-dependency, max: 64 } }
          front: { command: "%s", jvm: 25, ready: { log: ready } }
        load: { url: "http://{server}:8081/", connections: 40, warmup: 2s, duration: 3s }
        repeat: 2
        """
                .formatted(workers, front);
    }

    /// The connections are always in use here, too, but the service behind them became slower.
    @Test
    @Tag("long")
    void a_service_behind_a_small_pool_that_gets_slower_is_named_with_its_address()
            throws Exception {
        slower("python3 $front.py 8081 9090 8");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(
            strings = {
                "python3 $front.py 8081 9090 60",
                "{jvm}/bin/java -Dsun.net.httpserver.nodelay=true $KnownTimes.java 8081 60 ask=9090"
            })
    void a_service_behind_that_gets_slower_is_named_with_its_address(String front)
            throws Exception {
        slower(front);
    }

    private void slower(String front) throws Exception {
        RunRecord.Trial trial = run.planted("slow-dependency", slow(front, 4), 40);
        PlantedRun.assertNamed(
                trial, "slow-dependency", End.SERVER, "budget.dependency:127.0.0.1:9090");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    private static String overUnixSocket(int workers, int pool) {
        return slow("python3 $front.py 8081 @behind %d".formatted(pool), workers)
                .replace("--port 9090", "--unix behind");
    }

    /// As nginx and PHP-FPM do by default.
    @Test
    void a_service_behind_a_unix_socket_that_gets_slower_is_named_with_its_address()
            throws Exception {
        RunRecord.Trial trial = run.planted("slow-dependency", overUnixSocket(4, 0), 40);
        PlantedRun.assertNamed(
                trial, "slow-dependency", End.SERVER, "budget.dependency:unix:@behind");
        assertThat(trial.observation().facts().services())
                .filteredOn(service -> service.name().equals("behind"))
                .first()
                .satisfies(behind -> assertThat(behind.unixSockets()).containsExactly("@behind"));
    }

    private static String threadsOverUnixSocket(int workers) {
        return overUnixSocket(workers, 0)
                .replaceFirst("\\$front[^\"]*", "\\$threads.py 8081 0 ask:behind");
    }

    /// As drivers of databases do.
    @Test
    void threads_that_wait_at_connections_to_a_unix_socket_show_what_is_slow() throws Exception {
        RunRecord.Trial trial = run.planted("slow-dependency", threadsOverUnixSocket(4), 40);
        PlantedRun.assertNamed(
                trial, "slow-dependency", End.SERVER, "budget.dependency:unix:@behind");
    }

    @Test
    @Tag("long")
    void threads_that_wait_at_a_unix_socket_that_is_always_slow_are_not_named() throws Exception {
        PlantedRun.assertVerdict(run.control(threadsOverUnixSocket(60), 40), Verdict.NONE);
    }

    /// Nobody sees which connections of an event loop's pool wait for an answer.
    @Test
    @Tag("long")
    void a_pool_of_connections_to_a_unix_socket_is_not_taken_for_requests() throws Exception {
        RunRecord.Trial trial = run.control(overUnixSocket(4, 60), 40);
        PlantedRun.assertNotNamed(trial, "slow-dependency");
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    @Test
    @Tag("long")
    void a_service_behind_a_unix_socket_that_is_always_slow_is_not_named() throws Exception {
        PlantedRun.assertVerdict(run.control(overUnixSocket(60, 0), 40), Verdict.NONE);
    }

    @Test
    @Tag("long")
    void a_service_behind_that_is_always_slow_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(slow("python3 $front.py 8081 9090 60", 60), 40);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
    }

    @Test
    @Tag("long")
    void find_turns_a_knob_of_the_service_behind() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(
                        slow("python3 $front.py 8081 9090 60", 4), "slow-dependency", End.SERVER);
        PlantedRun.assertChanged(rung, new Setting.OfKnob("behind", "workers"), "4", "40");
        assertThat(rung.remedy().kept()).isTrue();
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
                  command: "{clientJvm}/bin/java $PoolClient.java {server} 8081 %d %d 9"
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
    @Tag("long")
    void a_client_with_a_connection_for_each_thread_is_not_named() throws Exception {
        RunRecord.Trial trial = client(24, 24);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
    }
}
