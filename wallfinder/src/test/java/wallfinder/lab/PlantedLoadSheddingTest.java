package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.lab.find.Find;
import wallfinder.observation.End;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord;

/// Services that reject requests, and services that fail.
@Tag("sandbox")
class PlantedLoadSheddingTest extends PlantedTest {
    private static final String WALL = "load-shedding";

    private static String load(int port, String arrival) {
        return """
        load:
          url: http://{server}:%d/
          connections: 64
          arrival: %s
          warmup: 0s
          duration: 2s
        """
                .formatted(port, arrival);
    }

    /// @param options options of the server, which takes 20 ms for a good answer
    private static String python(String options, String arrival) {
        return """
        services:
          planted:
            command: python3 $rejects.py --port 8082 --latency 20 %s
            ready: { log: ready }
        """
                        .formatted(options)
                + load(8082, arrival);
    }

    /// nginx in front of a Python server that takes 20 ms.
    private String nginx(String location, String arrival) throws Exception {
        String command =
                Nginx.service(
                        folder,
                        8081,
                        location + " proxy_pass http://127.0.0.1:9090; proxy_http_version 1.1;");
        Nginx.edit(
                folder,
                "access_log off;",
                "access_log off; limit_conn_zone $server_port zone=all:1m;");
        return """
        services:
          behind:
            command: python3 $server.py --port 9090 --latency 20
            ready: { log: ready }
          planted:
            command: %s
            ready: tcp://{server}:8081
        """
                        .formatted(command)
                + load(8081, arrival);
    }

    private static boolean doubtful(RunRecord.Trial trial) {
        return PlantedRun.has(trial, "answers-are-errors");
    }

    @Test
    @Tag("long")
    void nginx_that_admits_a_few_requests_at_once_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, nginx("limit_conn all 2;", "{ rate: 400 }"), 64);
        PlantedRun.assertNamed(trial, WALL, End.SERVER, "answers 429 and 503");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
        LoadOutcome load = trial.observation().load();
        assertThat(load.throughput()).isBetween(30.0, 200.0);
        assertThat(load.answers().statuses().get("503")).isEqualTo(load.bad());
        assertThat(doubtful(trial)).isFalse();
    }

    @Test
    @Tag("long")
    void nginx_that_admits_all_requests_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(nginx("limit_conn all 60;", "{ rate: 300 }"), 64);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(trial.observation().load().bad()).isZero();
    }

    /// Even twenty requests one after the other exceed the limit.
    @Test
    void a_server_with_a_rate_limit_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        WALL, python("--rate 20 --burst 5 --status 429", "{ poisson: 400 }"), 64);
        PlantedRun.assertNamed(trial, WALL, End.SERVER);
        assertThat(trial.observation().load().answers().bad(429)).isPositive();
        assertThat(doubtful(trial)).isFalse();
    }

    @Test
    @Tag("long")
    void a_server_that_gives_up_after_a_while_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(python("--limit 8 --patience 400", "closed"), 64);
        PlantedRun.assertNotNamed(trial, WALL);
        if (!PlantedRun.starved(trial)) {
            PlantedRun.assertVerdict(trial, Verdict.UNNAMED);
            assertThat(trial.diagnosis().seen()).contains("answers 503 to");
        }
    }

    @Test
    @Tag("long")
    void a_service_that_rejects_everything_has_no_wall_and_no_rate() throws Exception {
        String yaml =
                """
                services:
                  planted:
                    command: %s
                    ready: tcp://{server}:8083
                """
                                .formatted(Nginx.service(folder, 8083, "return 503;"))
                        + load(8083, "closed");
        RunRecord.Trial trial = run.single(run.experiment(yaml), 64, "one");
        PlantedRun.assertVerdict(trial, Verdict.NONE);
        assertThat(doubtful(trial)).isTrue();
        assertThat(trial.observation().load().throughput()).isZero();
        assertThat(trial.observation().load().answered()).isPositive();
        Find.Result found = run.find(yaml);
        assertThat(found.trials().size()).isLessThanOrEqualTo(2);
        assertThat(found.ended()).contains("one request alone gets a bad answer");
    }

    @Test
    @Tag("long")
    void an_answer_with_an_expected_status_is_good() throws Exception {
        RunRecord.Trial trial =
                run.control(
                        python("--all --status 404", "{ rate: 300 }")
                                + "  expect: { status: [2xx, 404], body: ok }\n",
                        64);
        assertThat(doubtful(trial)).isFalse();
        assertThat(trial.observation().load().good()).isPositive();
        assertThat(trial.observation().load().bad()).isZero();
    }

    @Test
    @Tag("long")
    void a_higher_limit_moves_the_wall() throws Exception {
        RunRecord.Rung rung =
                run.firstRung(
                        python("--limit {places}", "{ rate: 1500 }")
                                        .replace(
                                                "    ready:",
                                                "    knobs: { places: { value: 8, moves: load-shedding } }\n    ready:")
                                + "repeat: 3\n",
                        WALL,
                        End.SERVER);
        assertThat(rung.remedy().after().perSecond())
                .isGreaterThan(1.5 * rung.remedy().before().perSecond());
    }

    /// A placebo: with it the service answers many times as often.
    @Test
    @Tag("long")
    void a_knob_that_replaces_slow_answers_by_fast_rejections_gains_nothing() throws Exception {
        run.stopAfterFirstRung();
        Find.Result found =
                run.find(
                        """
                        services:
                          behind:
                            command: python3 $server.py --port 9090 --workers 4 --latency 20
                            ready: { log: ready }
                          planted:
                            command: python3 $rejects.py --port 8082 --ask 9090 --limit {places}
                            ready: { log: ready }
                            knobs: { places: { value: 1000, to: [4], moves: slow-dependency } }
                        repeat: 3
                        """
                                + load(8082, "closed"));
        assertThat(found.ladder()).as(found.ended() + "\n" + run.output()).isNotEmpty();
        RunRecord.Rung rung = found.ladder().getFirst();
        assertThat(found.trials().get(rung.trial()).diagnosis().wallId())
                .contains("slow-dependency");
        assertThat(rung.without()).isNotEmpty();
        assertThat(rung.remedy()).as(run.output()).isNull();
    }
}
