package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.ListenFigure;
import wallfinder.record.RunRecord;

/// Walls planted at the server's end, each with a control that differs in one value.
@Tag("sandbox")
class PlantedServerWallsTest extends PlantedTest {
    /// Batches of 24 connects come at once, and the server waits 20 ms before it accepts. A queue
    /// of 8 holds 9 of them.
    private static String batches(int backlog) {
        return """
        services:
          planted:
            command: >-
              python3 $server.py --port 8081 --backlog=%d --accept-pause 20 --latency 20
            ready: { log: ready }
        sandbox: { server: { net.core.somaxconn: 4096 } }
        load: { url: "http://{server}:8081/", connections: 24, keepalive: false, arrival: lockstep,
          warmup: 0s, duration: 2s }
        """
                .formatted(backlog);
    }

    @Test
    void a_full_accept_queue_is_named_and_an_idle_cpu_is_ruled_out() throws Exception {
        RunRecord.Trial trial = run.planted(batches(8), 24);
        assertFullQueue(trial);
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    private static void assertFullQueue(RunRecord.Trial trial) {
        PlantedRun.assertNamed(
                trial,
                "accept-queue",
                End.SERVER,
                KernelCounter.LISTEN_OVERFLOWS.text(),
                "listen[].queue");
    }

    @Test
    @Tag("long")
    void a_full_accept_queue_is_named_between_ipv6_addresses() throws Exception {
        String ipv6 = "sandbox: { ip: 6, server: { net.core.somaxconn: 4096 } }";
        RunRecord.Trial trial =
                run.planted(
                        batches(8)
                                .replaceFirst("sandbox: .*", ipv6)
                                .replace("--port", "--host {server} --port"),
                        24);
        assertFullQueue(trial);
    }

    @Test
    @Tag("long")
    void an_accept_queue_with_room_for_the_batch_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(batches(4096), 24);
        PlantedRun.assertNotNamed(trial, "accept-queue");
        assertThat(PlantedRun.growth(trial, KernelCounter.LISTEN_OVERFLOWS)).isZero();
    }

    /// Two servers share the port; one of them accepts only every 150 ms.
    private static String shared(int backlog) {
        return """
        services:
          other: { command: python3 $server.py --port 8084 --reuseport --latency 5,
            ready: { log: ready } }
          planted:
            command: >-
              python3 $server.py --port 8084 --reuseport --latency 5 --backlog=%d
              --accept-pause 150
            ready: { log: ready }
        load: { url: "http://{server}:8084/", connections: 40, keepalive: false, warmup: 0s,
          duration: 3s }
        """
                .formatted(backlog);
    }

    @Test
    @Tag("long")
    void one_full_queue_of_two_on_the_same_port_is_named_with_their_number() throws Exception {
        RunRecord.Trial trial = run.planted(shared(4), 40);
        PlantedRun.assertNamed(trial, "accept-queue", End.SERVER, "listen[].queue");
        assertThat(trial.diagnosis().headline().evidence())
                .anyMatch(evidence -> evidence.says().contains("1 of the 2 sockets"));
    }

    @Test
    @Tag("long")
    void two_queues_with_room_on_the_same_port_are_not_named() throws Exception {
        RunRecord.Trial trial = run.control(shared(46), 40);
        PlantedRun.assertNotNamed(trial, "accept-queue");
        assertThat(PlantedRun.largest(trial, ListenFigure.SOCKETS.of(8084))).isEqualTo(2);
    }

    /// The kernel resets a connection whose handshake ends when the queue is full.
    @Test
    @Tag("long")
    void a_full_accept_queue_is_named_if_the_kernel_resets_connections() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        batches(8)
                                .replace(
                                        "net.core.somaxconn: 4096",
                                        "net.ipv4.tcp_abort_on_overflow: 1"),
                        24);
        PlantedRun.assertNamed(
                trial, "accept-queue", End.SERVER, KernelCounter.LISTEN_OVERFLOWS.text());
    }

    private static String eightClients(String work, String limit) {
        return """
        services:
          planted:
            command: python3 $server.py --port 8081 %s
            ready: { log: ready }
            %s
        load: { url: "http://{server}:8081/", connections: 8, warmup: 0s, duration: 2s }
        """
                .formatted(work, limit);
    }

    @Test
    void a_service_that_always_computes_is_at_the_cpu() throws Exception {
        RunRecord.Trial trial = run.planted(eightClients("--cpu 1", ""), 8);
        PlantedRun.assertNamed(trial, "cpu", End.SERVER);
    }

    @Test
    @Tag("long")
    void a_service_that_waits_instead_of_computing_is_not_at_the_cpu() throws Exception {
        RunRecord.Trial trial = run.control(eightClients("--latency 20", ""), 8);
        PlantedRun.assertNotNamed(trial, "cpu");
        PlantedRun.assertNotNamed(trial, "load-generator");
    }

    @Test
    void a_used_up_cpu_quota_is_named_and_the_cpu_is_ruled_out() throws Exception {
        RunRecord.Trial trial = run.planted(eightClients("--cpu 5", "cpus: 0.2"), 8);
        PlantedRun.assertNamed(trial, "cpu-quota", End.SERVER, "cgroup[].throttledPeriods");
    }

    @Test
    @Tag("long")
    void without_a_quota_the_same_work_is_not_throttled() throws Exception {
        RunRecord.Trial trial = run.control(eightClients("--cpu 5", ""), 8);
        PlantedRun.assertNotNamed(trial, "cpu-quota");
    }

    /// Each request of 48 clients blocks a worker for 40 ms.
    private static String pool(int workers) {
        return """
        services:
          planted:
            command: >-
              {jvm}/bin/java -XX:TieredStopAtLevel=1 $PoolServer.java 8081 1024 %d 40
            jvm: 25
            ready: http://{server}:8081/
        load: { url: "http://{server}:8081/", connections: 48, warmup: 2s, duration: 2s }
        """
                .formatted(workers);
    }

    @Test
    void a_pool_of_four_workers_is_named_and_an_idle_cpu_is_ruled_out() throws Exception {
        RunRecord.Trial trial = run.planted(pool(4), 48);
        PlantedRun.assertNamed(trial, "server-concurrency", End.SERVER, "requests at work at once");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    /// Each worker serves one connection at a time, and the load opens 24.
    private static String workers(String options) {
        return """
        services:
          planted: { command: "python3 $workers.py --port 8081 --latency 5 %s",
            ready: { log: ready } }
        load: { url: "http://{server}:8081/", connections: 24, warmup: 0s, duration: 3s }
        """
                .formatted(options);
    }

    @Test
    @Tag("long")
    void a_worker_for_each_connection_is_named() throws Exception {
        oneEach("");
    }

    @Test
    @Tag("long")
    void a_worker_for_each_connection_is_named_if_the_others_are_accepted() throws Exception {
        oneEach("--accept");
    }

    private void oneEach(String accept) throws Exception {
        RunRecord.Trial trial = run.planted(workers("--workers 4 " + accept), 24);
        PlantedRun.assertNamed(trial, "server-concurrency", End.SERVER, "listen[].unread");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(trial.diagnosis().headline().evidence())
                .anySatisfy(e -> assertThat(e.says()).contains("20 of 24 connections"));
    }

    @Test
    @Tag("long")
    void as_many_workers_as_connections_answer_all_of_them() throws Exception {
        RunRecord.Trial trial = run.control(workers("--workers 24"), 24);
        PlantedRun.assertNotNamed(trial, "server-concurrency");
    }

    @Test
    @Tag("long")
    void requests_that_were_read_and_never_answered_do_not_wait_for_a_worker() throws Exception {
        RunRecord.Trial trial = run.control(workers("--workers 4 --hang"), 24);
        PlantedRun.assertNotNamed(trial, "server-concurrency");
        assertThat(trial.diagnosis().seen()).contains("of 24 connections without an answer");
    }

    /// Most answers take as long as alone. The others take as long as the load.
    @Test
    @Tag("long")
    void connections_that_wait_because_others_are_served_first_are_no_healthy_service()
            throws Exception {
        RunRecord.Trial trial =
                run.control(
                        workers("")
                                .replace(
                                        "$workers.py --port 8081 --latency 5",
                                        "$newest.py 8081 4 30"),
                        24);
        PlantedRun.assertVerdict(trial, Verdict.UNNAMED);
        assertThat(trial.diagnosis().seen()).contains("of 24 connections without an answer");
    }

    @Test
    @Tag("long")
    void a_pool_with_a_worker_for_each_client_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(pool(128), 48);
        PlantedRun.assertNotNamed(trial, "server-concurrency");
        assertThat(trial.diagnosis().verdict()).isNotEqualTo(Verdict.INVALID);
    }
}
