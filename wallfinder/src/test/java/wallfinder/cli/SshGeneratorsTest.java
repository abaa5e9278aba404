package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `--generator ssh:HOST` with a real sshd on another host, which is a namespace. The service
/// counts its requests.
@Tag("sandbox")
@Tag("slow")
@Timeout(600)
class SshGeneratorsTest extends TwoHostsTest {
    /// After a loss nobody sends any more.
    private static final Duration ENDS_AFTER = Duration.ofSeconds(2);

    private Program.Started load(int generators, String... more) throws Exception {
        return start("load", generators, more);
    }

    private Program.Started start(String command, int generators, String... more) throws Exception {
        return start(command, SshBed.url(), generators, more);
    }

    private Program.Started start(String command, String target, int generators, String... more)
            throws Exception {
        List<String> words = new ArrayList<>(List.of(command, target));
        words.addAll(List.of("--json", json.toString()));
        for (int i = 0; i < generators; i++) {
            words.addAll(List.of("--generator", SshBed.SERVER));
        }
        words.addAll(List.of(more));
        return bed.onNear(program).start(words.toArray(String[]::new));
    }

    private JsonNode trial() throws Exception {
        return trials().get(0);
    }

    private JsonNode trials() throws Exception {
        assertThat(Program.schemaErrors(json)).isEmpty();
        return JsonMapper.shared().readTree(Files.readAllBytes(json)).at("/trials");
    }

    @Test
    void two_agents_act_as_one_and_the_service_counts_what_they_report() throws Exception {
        bed.serve("--latency 1");
        Program.Ended ended = load(2, "-c", "5", "-n", "2001", "--warmup", "1s").end().measured();
        JsonNode trial = trial();
        assertThat(trial.at("/load/requests").asLong()).isEqualTo(2001);
        assertThat(trial.at("/warmup/seconds").asDouble()).isGreaterThanOrEqualTo(1);
        assertThat(trial.at("/warmup/cpuMicrosPerAnswer").isNull()).isTrue();
        assertThat(trial.at("/warmup/answers").asLong())
                .isPositive()
                .isEqualTo(bed.counted() - 2001);
        assertThat(trial.at("/load/good").asLong()).isEqualTo(2001);
        assertThat(trial.at("/load/statuses/200").asLong()).isEqualTo(2001);
        assertThat(trial.at("/load/connections").asInt()).isEqualTo(5);
        assertThat(trial.at("/load/responseMicros/p50").asDouble()).isGreaterThan(1_000);
        JsonNode generators = trial.at("/generators");
        assertThat(generators.size()).isEqualTo(2);
        assertThat(generators.at("/0/connections").asInt()).isEqualTo(3);
        assertThat(generators.at("/1/connections").asInt()).isEqualTo(2);
        assertThat(generators.at("/0/answered").asLong()).isEqualTo(1001);
        assertThat(generators.at("/1/answered").asLong()).isEqualTo(1000);
        assertThat(ended.out())
                .contains("from       far-host #1: 3 connections, 1,001 answered, began ")
                .contains("from       far-host #2: 2 connections, 1,000 answered, began ");
        assertThat(trial.at("/sandbox/serverWatched").asBoolean()).isFalse();
        assertThat(program.text("runs", "series.csv")).contains("client:load.requests");
        assertThat(program.text("runs", "report.html"))
                .contains("from far-host #1: 3 connections, 1,001 answered, began ");
        bed.awaitNothingThere();
    }

    @Test
    void two_agents_hold_connections_as_one() throws Exception {
        bed.serveEchoes();
        Program.Ended ended = hold(2, "-c", "301", "--interval", "100ms", "-d", "2s").measured();
        JsonNode trial = trial();
        JsonNode load = trial.at("/load");
        assertThat(load.at("/connections").asInt()).isEqualTo(301);
        assertThat(trial.at("/hold/fates/alive").asInt()).isEqualTo(301);
        assertThat(trial.at("/hold/heldMessages").asInt()).isGreaterThan(2_000);
        assertThat(trial.at("/hold/heldSeconds").asDouble()).isGreaterThanOrEqualTo(2);
        assertThat(load.at("/good").asLong()).isEqualTo(load.at("/requests").asLong());
        assertThat(trial.at("/generators/0/connections").asInt()).isEqualTo(151);
        assertThat(trial.at("/generators/1/connections").asInt()).isEqualTo(150);
        assertThat(ended.out()).contains("301", "from       far-host #2: 150 connections");
        bed.awaitNothingThere();
    }

    /// The service is killed. With `--on-error stop` the agents end then.
    @Test
    @Tag("long")
    void an_agent_that_must_end_ends_the_others() throws Exception {
        bed.serveEchoes();
        Program.Started held = holding(2, "-c", "20", "-d", "1h", "--on-error", "stop");
        bed.awaitConnections(20);
        bed.farther("pkill -9 -f 'mirror[.]py'");
        Program.Ended ended = held.end().done(1);
        assertThat(ended.out()).contains("alive");
        assertThat(trial().at("/hold/fates/alive").asInt()).isLessThan(20);
        bed.awaitNothingThere();
    }

    @Test
    @Tag("long")
    void connections_that_cannot_be_divided_or_opened_are_one_error() throws Exception {
        hold(2, "-c", "1").failed(2, "--connections 1 cannot be divided among 2 generators");
        hold(1, "-c", "10", "--synthetic").failed(2, "--generator and --synthetic");
        hold(1, "-c", "10").failed(3, "nothing answers at", "(on " + SshBed.SERVER);
    }

    private Program.Ended hold(int generators, String... more) throws Exception {
        return holding(generators, more).end();
    }

    private Program.Started holding(int generators, String... more) throws Exception {
        String target = "tcp://%s:%d".formatted(SshBed.FAR, SshBed.PORT);
        return start("hold", target, generators, more);
    }

    @Test
    @Tag("long")
    void any_number_of_agents_sends_the_rate_that_was_asked_for() throws Exception {
        bed.serve("--latency 1");
        long before = 0;
        for (int count : List.of(1, 2, 4)) {
            load(count, "-c", "8", "-R", "200", "-n", "400").end().measured();
            JsonNode trial = trial();
            assertThat(trial.at("/load/sent").asLong()).isEqualTo(400);
            assertThat(bed.counted() - before).isEqualTo(400);
            before = bed.counted();
            // The schedule has its last request after 1.995 s.
            assertThat(trial.at("/load/seconds").asDouble()).isBetween(1.9, 3.5);
            double rate = 0;
            for (JsonNode generator : trial.at("/generators")) {
                rate += generator.required("rate").asDouble();
            }
            assertThat(rate).isEqualTo(200, within(0.01));
        }
    }

    @Test
    @Tag("long")
    void the_wall_of_a_watched_server_is_named_under_the_merged_load() throws Exception {
        bed.serve("--backlog=4 --accept-pause 50 --latency 20");
        Program.Ended ended = watchedByTwo();
        assertThat(ended.out()).contains("watched on its own host: python3, process");
        JsonNode trial = trial();
        assertThat(trial.at("/sandbox/serverWatched").asBoolean()).isTrue();
        assertThat(trial.at("/caveats").toString()).doesNotContain("\"peer-", "does-not-add-up");
        if (ended.code() == ExitCode.INVALID) {
            assertThat(trial.at("/diagnosis/evidence").toString()).contains("on far-host #");
        }
        bed.awaitNothingThere();
        ended.judged(this::watchedByTwo);
        assertThat(trial().at("/diagnosis/wall").asString()).isEqualTo("accept-queue");
        assertThat(trial().at("/diagnosis/end").asString()).isEqualTo("server");
    }

    private Program.Ended watchedByTwo() throws Exception {
        return load(2, "-c", "32", "-d", "4s", "--no-keepalive", "--server", SshBed.SERVER)
                .end()
                .measured();
    }

    @Test
    @Tag("long")
    void two_agents_raise_the_load_to_the_first_wall() throws Exception {
        bed.serve("--backlog=4 --accept-pause 50 --latency 20");
        Program.Ended found = findByTwo();
        JsonNode trials = trials();
        assertThat(trials).hasSizeGreaterThan(1);
        int before = 0;
        for (JsonNode trial : trials) {
            int connections = trial.at("/load/connections").asInt();
            assertThat(connections).isGreaterThanOrEqualTo(before);
            before = connections;
            JsonNode generators = trial.at("/generators");
            assertThat(generators).hasSize(Math.min(2, connections));
            long answered = 0;
            for (JsonNode generator : generators) {
                answered += generator.at("/answered").asLong();
            }
            assertThat(trial.at("/load/requests").asLong()).isEqualTo(answered);
            assertThat(trial.at("/warmup/answers").asLong()).isPositive();
            assertThat(trial.at("/sandbox/serverWatched").asBoolean()).isTrue();
            assertThat(trial.at("/caveats").toString()).doesNotContain("\"peer-");
        }
        assertThat(trials.at("/0/load/connections").asInt()).isEqualTo(1);
        bed.awaitNothingThere();
        found.judged(this::findByTwo);
        JsonNode last = trials().get(trials().size() - 1);
        assertThat(last.at("/diagnosis/wall").asString()).isEqualTo("accept-queue");
    }

    private Program.Ended findByTwo() throws Exception {
        return start(
                        "find",
                        2,
                        "-c",
                        "16",
                        "--no-keepalive",
                        "-d",
                        "3s",
                        "--warmup",
                        "2s",
                        "--server",
                        SshBed.SERVER)
                .end()
                .measured();
    }

    /// As on one host.
    @Test
    @Tag("long")
    void the_rate_of_an_open_loop_grows_with_the_connections() throws Exception {
        bed.serve("--latency 1");
        start("find", 2, "-c", "32", "-R", "320", "-d", "1s", "--warmup", "1s").end().measured();
        JsonNode trials = trials();
        assertThat(trials).hasSizeGreaterThan(1);
        for (JsonNode trial : trials) {
            int connections = trial.at("/load/connections").asInt();
            assertThat(trial.at("/load/openLoop/asked").asString())
                    .startsWith("%,d/s".formatted(10 * connections));
        }
    }

    @Test
    @Tag("long")
    void agents_measure_a_capacity_until_one_is_killed() throws Exception {
        bed.serve("--latency 1");
        Program.Started capacity =
                start("capacity", 2, "--objective", "p99 < 50ms", "-d", "2s", "--warmup", "2s");
        capacity.awaitOutput("/s: ");
        bed.killAnAgent();
        Program.Ended ended = capacity.end();
        assertThat(ended.err()).contains("the generator on " + SshBed.SERVER + " is lost");
        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.out()).contains("Ended: it failed: the generator on ");
        JsonNode trial = trial();
        assertThat(trial.at("/generators")).hasSize(2);
        assertThat(trial.at("/load/connections").asInt()).isEqualTo(100);
        assertThat(trial.at("/load/openLoop/asked").asString()).contains("Poisson");
        assertThat(trial.at("/load/good").asLong()).isPositive();
        bed.awaitNothingThere();
    }

    @Test
    @Tag("long")
    void a_killed_agent_ends_the_load_and_what_was_measured_is_kept() throws Exception {
        bed.serve("--latency 1");
        Program.Started load = load(2, "-c", "8", "-d", "10m");
        bed.awaitConnections(8);
        // Eight connections and a millisecond for each answer: this takes two seconds at least, so
        // that each agent has sent its counts.
        while (bed.counted() < 17_000) {
            assertThat(load.process().isAlive()).isTrue();
        }
        bed.killAnAgent();
        long killed = System.nanoTime();
        while (bed.connections() > 0) {
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(ENDS_AFTER);
        }
        load.end().measured();
        JsonNode trial = trial();
        assertThat(trial.at("/caveats").toString())
                .contains("\"generator-lost\"", "the generator on far-host #");
        assertThat(trial.at("/generators").size()).isEqualTo(2);
        assertThat(trial.at("/generators/0/answered").asLong()).isPositive();
        assertThat(trial.at("/generators/1/answered").asLong()).isPositive();
        assertThat(trial.at("/load/requests").asLong())
                .isPositive()
                .isLessThanOrEqualTo(bed.counted());
        bed.awaitNothingThere();
    }

    @Test
    @Tag("long")
    void a_killed_command_leaves_no_agent_and_ctrl_c_keeps_what_was_measured() throws Exception {
        bed.serve("--latency 1");
        Program.Started load = load(2, "-c", "8", "-d", "10m");
        bed.awaitConnections(8);
        load.process().destroyForcibly().waitFor();
        bed.awaitNothingThere();
        program.assertNothingRuns();
        assertThat(bed.connections()).isZero();
        Program.Started again = load(2, "-c", "8", "-d", "10m");
        bed.awaitConnections(8);
        assertThat(again.signalled("INT").done(130).out()).contains("from       far-host #2: ");
        assertThat(trial().at("/load/requests").asLong()).isPositive();
        assertThat(trial().at("/caveats").toString()).doesNotContain("generator-lost");
        bed.awaitNothingThere();
        // The next sandbox removes the locks of killed runs.
        for (var lock : Program.children(program.file("run/wallfinder"), "*")) {
            Files.delete(lock);
        }
    }

    @Test
    @Tag("long")
    void what_a_generators_host_does_not_reach_is_one_error() throws Exception {
        load(2, "-c", "4").end().failed(3, "nothing answers at " + SshBed.url(), "(on ssh:far@");
        bed.awaitNothingThere();
    }
}
