package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;

/// A client closes each connection instead of reusing it: with 256 local ports, or with 100 places
/// in TIME_WAIT.
@Tag("sandbox")
class PlantedChurnTest extends PlantedTest {
    private static final String WALL = "connection-churn";
    private static final String BUCKETS = "time-wait-buckets";

    private static String requests(String service, int requests, int keep) {
        return """
        services:
          planted:
            command: %s
            ready: tcp://{server}:8081
            knobs: { reuse: { value: %d, moves: connection-churn, max: 1 } }
        sandbox: { client: { net.ipv4.ip_local_port_range: "32768 33023" } }
        load: { command: "python3 $churn.py {server} 8081 %d {reuse}",
          measure: { requests: 'answered: (\\d+)', errors: 'errors: (\\d+)' }, duration: 30s }
        repeat: 2
        """
                .formatted(service, keep, requests);
    }

    private static final String PYTHON = "python3 $server.py --port 8081";

    private static void assertNamed(RunRecord.Trial trial) {
        PlantedRun.assertVerdict(trial, Verdict.NAMED);
        PlantedRun.assertWall(trial, WALL, End.CLIENT, "sockstat.TCP.tw", "Tcp.ActiveOpens");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(trial.diagnosis().also())
                .extracting(also -> also.wall().id().word())
                .startsWith("ephemeral-ports");
    }

    @Test
    void a_client_that_closes_each_connection_is_named_as_the_cause_of_the_exhausted_ports()
            throws Exception {
        RunRecord.Trial trial = run.control(requests(PYTHON, 600, 0), 0);
        assertNamed(trial);
        // Slightly more connections than there are ports: a port becomes free if the server closes
        // first.
        assertThat(trial.observation().load().answered()).isBetween(250L, 300L);
    }

    @Test
    @Tag("long")
    void it_is_named_with_nginx_too() throws Exception {
        String nginx = Nginx.service(folder, 8081);
        assertNamed(run.control(requests(nginx, 600, 0), 0));
    }

    @Test
    void a_client_that_has_used_two_thirds_of_the_ports_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(requests(PYTHON, 170, 0), 0);
        PlantedRun.assertNotNamed(trial, WALL);
        PlantedRun.assertNotNamed(trial, "ephemeral-ports");
        assertThat(trial.observation().load().answered()).isEqualTo(170);
        PlantedRun.assertVerdict(trial, Verdict.NONE);
    }

    @Test
    @Tag("long")
    void a_client_that_keeps_its_connection_needs_one_port() throws Exception {
        RunRecord.Trial trial = run.control(requests(PYTHON, 600, 1), 0);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.observation().load().answered()).isEqualTo(600);
        assertThat(trial.observation().load().networkErrors()).isZero();
    }

    @Test
    void find_makes_the_client_keep_its_connections_before_it_changes_a_sysctl() throws Exception {
        RunRecord.Rung rung = run.firstRung(requests(PYTHON, 600, 0), WALL, End.CLIENT);
        assertThat(rung.without()).isEmpty();
        PlantedRun.assertChanged(rung, new Setting.OfKnob("planted", "reuse"), "0", "1");
        assertThat(rung.remedy().before().errors()).isPositive();
        assertThat(rung.remedy().after().errors()).isZero();
    }

    /// At most a hundred connections may be in TIME_WAIT at either end.
    private RunRecord.Trial buckets(String load, int connections) throws Exception {
        return run.control(
                """
                services:
                  planted: { command: python3 $server.py --port 8081 --latency 20,
                    ready: { log: ready } }
                sandbox:
                  server: { net.ipv4.tcp_max_tw_buckets: 100 }
                  client: { net.ipv4.tcp_max_tw_buckets: 100 }
                load:
                """
                        + load.indent(2),
                connections);
    }

    private static String closing(int requests) {
        return """
        command: python3 $churn.py {server} 8081 %d 0
        measure: { requests: 'answered: (\\d+)', errors: 'errors: (\\d+)' }
        duration: 30s
        """
                .formatted(requests);
    }

    private static void assertBuckets(RunRecord.Trial trial, String end) {
        PlantedRun.assertNotNamed(trial, BUCKETS);
        assertThat(trial.observation().load().networkErrors())
                .as(PlantedRun.describe(trial))
                .isZero();
        assertThat(trial.diagnosis().caveats())
                .as(PlantedRun.describe(trial))
                .anySatisfy(caveat -> {
                    assertThat(caveat.id()).isEqualTo("near:" + BUCKETS);
                    assertThat(caveat.advice()).contains("on the " + end);
                });
    }

    @Test
    @Tag("long")
    void connections_without_a_place_in_time_wait_do_no_harm_and_are_reported() throws Exception {
        RunRecord.Trial trial = buckets(closing(300), 0);
        assertBuckets(trial, "client");
        assertThat(trial.diagnosis().verdict()).isEqualTo(Verdict.NONE);
        assertThat(trial.observation().load().answered()).isEqualTo(300);
    }

    @Test
    @Tag("long")
    void they_are_reported_at_the_server_if_it_closes_first() throws Exception {
        assertBuckets(
                buckets(
                        """
                        url: http://{server}:8081/
                        connections: 16
                        keepalive: false
                        warmup: 0s
                        duration: 2s
                        """,
                        16),
                "server");
    }

    @Test
    void two_thirds_of_the_places_in_time_wait_are_not_reported() throws Exception {
        RunRecord.Trial trial = buckets(closing(66), 0);
        assertThat(trial.observation().load().answered()).isEqualTo(66);
        assertThat(PlantedRun.doubts(trial)).doesNotContain("near:" + BUCKETS);
    }
}
