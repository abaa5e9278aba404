package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Change;
import wallfinder.diagnosis.Harm;
import wallfinder.experiment.Setting;
import wallfinder.observation.Caveat;
import wallfinder.observation.End;
import wallfinder.observation.EndFigure;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Timeline;
import wallfinder.record.RunRecord;

/// Servers and clients whose name server is dead, slow or not there, each with one that is quick.
@Tag("sandbox")
class PlantedNameLookupTest extends PlantedTest {
    private static final String WALL = "name-lookup";

    /// @param names options of a name server at the server's end
    /// @param resolver whom the service asks
    private static String experiment(String names, String resolver, String options) {
        return """
        services:
          names:
            command: python3 $names.py %s
            ready: { log: ready }
          planted:
            command: python3 $lookup.py --port 8081 %s
            ready: { log: ready }
        sandbox:
          server: { resolver: "%s" }
        load:
          url: http://{server}:8081/
          connections: 16
          warmup: 0s
          duration: 3s
        repeat: 2
        """
                .formatted(names, options, resolver);
    }

    /// Nobody has the address: the next server is asked a second later.
    private static final String DEAD_FIRST = "198.18.0.99 {server} timeout:1";

    @Test
    void a_service_whose_first_name_server_is_dead_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, experiment("", DEAD_FIRST, ""), 16);
        PlantedRun.assertNamedThoughBusy(trial, WALL, End.SERVER);
        PlantedRun.assertEvidence(trial, "lookups.waiting");
        PlantedRun.assertEvidence(trial, KernelCounter.UDP_SENT.text());
        PlantedRun.assertEvidence(trial, "resolver");
        assertThat(trial.observation().load().errors()).isEmpty();
    }

    /// Four workers, and a name server that needs 300 ms: it looks like a pool that is too small.
    @Test
    void a_pool_that_waits_for_a_slow_name_server_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted(WALL, experiment("--delay 300", "{server}", "--workers 4"), 16);
        PlantedRun.assertNamedThoughBusy(trial, WALL, End.SERVER);
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.THROUGHPUT);
    }

    /// Through the loopback, where the kernel's limit for such messages does not hold.
    @Test
    void a_name_server_that_is_not_there_is_named_by_what_it_refuses() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        WALL,
                        """
                        services:
                          planted:
                            command: python3 $lookup.py --port 8081 --latency 20
                            ready: { log: ready }
                        sandbox:
                          server: { resolver: 127.0.0.1 }
                        load:
                          url: http://{server}:8081/
                          connections: 16
                          warmup: 0s
                          duration: 2s
                        """,
                        16);
        PlantedRun.assertNamedThoughBusy(trial, WALL, End.SERVER);
        PlantedRun.assertEvidence(trial, KernelCounter.UNREACHABLE.text());
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        assertThat(trial.observation().load().errors()).containsKey("status-5xx");
    }

    /// A quarter of each request's time goes into its lookup, and four workers are too few.
    @Test
    void a_quick_name_server_is_not_named_for_a_pool_that_is_too_small() throws Exception {
        RunRecord.Trial trial =
                run.control(experiment("--delay 30", "{server}", "--workers 4 --latency 97"), 16);
        PlantedRun.assertNotNamed(trial, WALL);
        Timeline timeline = trial.observation().timeline();
        assertThat(timeline.growth(KernelCounter.UDP_SENT, End.SERVER)).isPositive();
        assertThat(timeline.find(EndFigure.LOOKUPS_WAITING, End.SERVER).orElseThrow().max())
                .isPositive();
    }

    @Test
    void lookups_that_hang_beside_the_requests_are_only_near() throws Exception {
        RunRecord.Trial trial =
                run.control(
                        experiment("--silent", "{server}", "--beside --workers 4 --latency 50"),
                        16);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.diagnosis().caveats()).extracting(Caveat::id).contains("near:" + WALL);
    }

    @Test
    @Tag("long")
    void find_asks_the_other_name_server_first_and_proves_it() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(
                        """
                        services:
                          slow:
                            command: python3 $names.py --address 127.0.0.2 --delay 400
                            ready: { log: ready }
                          quick:
                            command: python3 $names.py --address 127.0.0.3
                            ready: { log: ready }
                          planted:
                            command: python3 $lookup.py --port 8081 --workers 1
                            ready: { log: ready }
                        sandbox:
                          server: { resolver: 127.0.0.2 127.0.0.3 }
                        load:
                          url: http://{server}:8081/
                          connections: 4
                          warmup: 0s
                          duration: 1500ms
                        repeat: 2
                        """,
                        WALL,
                        End.SERVER);
        assertThat(rung.remedy().remedy().changes())
                .containsExactly(
                        new Change(
                                new Setting.OfResolver(true),
                                "127.0.0.2 127.0.0.3",
                                "127.0.0.3 127.0.0.2"));
        assertThat(rung.remedy().kept()).isTrue();
    }

    @Test
    void a_client_whose_name_server_is_dead_is_named_at_its_own_end() throws Exception {
        RunRecord.Trial trial =
                run.control(
                        """
                        services:
                          planted:
                            command: python3 $server.py --port 8081
                            ready: { log: ready }
                        sandbox:
                          client: { resolver: "198.18.0.99 timeout:1 attempts:1" }
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
