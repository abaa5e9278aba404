package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.experiment.Setting;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.record.RunRecord;

/// Servers and clients whose name server is dead, slow or missing, and controls with a fast one.
@Tag("sandbox")
class PlantedNameLookupTest extends PlantedTest {
    private static final String WALL = "name-lookup";

    /// @param names options of the name server at the server's end
    /// @param resolver the name servers that the service asks
    private static String experiment(String names, String resolver, String options) {
        return """
        services:
          names: { command: "python3 $names.py %s", ready: { log: ready } }
          planted: { command: "python3 $lookup.py --port 8081 %s", ready: { log: ready } }
        sandbox: { server: { resolver: "%s" } }
        load: { url: "http://{server}:8081/", connections: 16, warmup: 0s, duration: 3s }
        repeat: 2
        """
                .formatted(names, options, resolver);
    }

    /// No host has the first address, so the resolver asks the next server a second later.
    private static final String DEAD_FIRST = "198.18.0.99 {server} timeout:1";

    @Test
    @Tag("long")
    void a_service_whose_first_name_server_is_dead_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, experiment("", DEAD_FIRST, ""), 16);
        PlantedRun.assertNamedThoughBusy(
                trial,
                WALL,
                End.SERVER,
                "lookups.waiting",
                KernelCounter.UDP_SENT.text(),
                "resolver");
        assertThat(trial.observation().load().errors()).isEmpty();
    }

    /// Four workers and a name server that takes 300 ms look like a pool that is too small.
    @Test
    void a_pool_that_waits_for_a_slow_name_server_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted(WALL, experiment("--delay 300", "{server}", "--workers 4"), 16);
        PlantedRun.assertNamedThoughBusy(trial, WALL, End.SERVER);
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    /// The kernel does not limit ICMP messages on the loopback.
    @Test
    @Tag("long")
    void a_missing_name_server_is_named_by_its_refusals() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        WALL,
                        """
                        services:
                          planted: { command: python3 $lookup.py --port 8081 --latency 20,
                            ready: { log: ready } }
                        sandbox: { server: { resolver: 127.0.0.1 } }
                        load: { url: "http://{server}:8081/", connections: 16, warmup: 0s,
                          duration: 2s }
                        """,
                        16);
        PlantedRun.assertNamedThoughBusy(trial, WALL, End.SERVER, KernelCounter.UNREACHABLE.text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(trial.observation().load().errors()).containsKey("status-5xx");
    }

    /// The lookup takes a quarter of each request's time, and four workers are too few.
    @Test
    @Tag("long")
    void a_fast_name_server_is_not_blamed_for_a_small_pool() throws Exception {
        RunRecord.Trial trial =
                run.control(experiment("--delay 30", "{server}", "--workers 4 --latency 97"), 16);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.growth(trial, KernelCounter.UDP_SENT)).isPositive();
        assertThat(PlantedRun.largest(trial, EndFigure.LOOKUPS_WAITING)).isPositive();
    }

    @Test
    @Tag("long")
    void lookups_that_hang_without_delaying_requests_are_only_near() throws Exception {
        RunRecord.Trial trial =
                run.control(
                        experiment("--silent", "{server}", "--beside --workers 4 --latency 50"),
                        16);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.doubts(trial)).contains("near:" + WALL);
    }

    @Test
    @Tag("long")
    void find_reorders_the_name_servers_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(
                        """
                        services:
                          slow: { command: python3 $names.py --address 127.0.0.2 --delay 400,
                            ready: { log: ready } }
                          quick: { command: python3 $names.py --address 127.0.0.3,
                            ready: { log: ready } }
                          planted: { command: python3 $lookup.py --port 8081 --workers 1,
                            ready: { log: ready } }
                        sandbox: { server: { resolver: 127.0.0.2 127.0.0.3 } }
                        load: { url: "http://{server}:8081/", connections: 4, warmup: 0s,
                          duration: 1500ms }
                        repeat: 2
                        """,
                        WALL,
                        End.SERVER);
        PlantedRun.assertChanged(
                rung, new Setting.OfResolver(true), "127.0.0.2 127.0.0.3", "127.0.0.3 127.0.0.2");
        assertThat(rung.remedy().kept()).isTrue();
    }

    @Test
    @Tag("long")
    void a_client_whose_name_server_is_dead_is_named_at_its_own_end() throws Exception {
        RunRecord.Trial trial =
                run.control(
                        """
                        services:
                          planted: { command: python3 $server.py --port 8081, ready: { log: ready } }
                        sandbox: { client: { resolver: "198.18.0.99 timeout:1 attempts:1" } }
                        load:
                          command: python3 $asks.py backend.test 8081 5
                          measure: { requests: 'opened: (\\d+)', errors: 'errors: (\\d+)' }
                          duration: 20s
                        """,
                        0);
        PlantedRun.assertNamedThoughBusy(trial, WALL, End.CLIENT);
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }
}
