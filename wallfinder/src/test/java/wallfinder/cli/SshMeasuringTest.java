package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The commands of several measurements with `--server ssh:HOST`, and a real sshd on another host,
/// which is a namespace.
@Tag("sandbox")
@Tag("slow")
@Timeout(600)
class SshMeasuringTest extends TwoHostsTest {
    private static final String COPIES = "/srv/far/.cache/wallfinder/agents";
    private static final String SHORT_QUEUE = "--backlog=4 --accept-pause 50 --latency 20";

    private Program.Started start(String... words) throws Exception {
        String[] all = java.util.Arrays.copyOf(words, words.length + 4);
        all[words.length] = "--server";
        all[words.length + 1] = SshBed.SERVER;
        all[words.length + 2] = "--json";
        all[words.length + 3] = json.toString();
        return bed.alone(program).start(all);
    }

    private JsonNode run() throws IOException {
        assertThat(Program.schemaErrors(json)).isEmpty();
        return JsonMapper.shared().readTree(Files.readAllBytes(json));
    }

    @Test
    @Tag("long")
    void find_watches_each_level_there_by_one_agent_and_says_where_a_remedy_belongs()
            throws Exception {
        bed.serve(SHORT_QUEUE);
        Program.Ended found = findAtShortQueue();
        assertThat(found.err()).containsOnlyOnce("watching python3");
        assertThat(found.out()).contains("watched on its own host: python3, process");
        JsonNode run = run();
        assertThat(run.at("/host/hostname").asString()).isNotEmpty();
        assertThat(run.at("/trials")).hasSizeGreaterThan(1);
        for (JsonNode trial : run.at("/trials")) {
            assertThat(trial.at("/factors/peerHost").asString()).isEqualTo("far-host");
            assertThat(trial.at("/sandbox/serverWatched").asBoolean()).isTrue();
            assertThat(trial.at("/caveats").toString()).doesNotContain("\"peer-");
        }
        String page = program.text("runs", "report.html");
        assertThat(page).contains("hostname ", "server watched on far-host");
        assertThat(bed.agents()).isEmpty();
        assertThat(found.judged(this::findAtShortQueue).out()).contains("on far-host: ");
        JsonNode judged = run();
        JsonNode last = judged.at("/trials").get(judged.at("/trials").size() - 1);
        assertThat(last.at("/diagnosis/wall").asString()).isEqualTo("accept-queue");
        assertThat(judged.at("/ladder/0/advice/0").toString()).contains("on far-host: ");
    }

    private Program.Ended findAtShortQueue() throws Exception {
        return start(
                        "find",
                        SshBed.url(),
                        "-c",
                        "64",
                        "--no-keepalive",
                        "-d",
                        "3s",
                        "--warmup",
                        "2s")
                .end()
                .measured();
    }

    private Program.Ended load(int connections) throws Exception {
        return start("load", SshBed.url(), "-c", "" + connections, "-d", "4s").end().measured();
    }

    @Test
    @Tag("long")
    void find_ends_with_what_it_measured_if_the_agent_is_killed() throws Exception {
        bed.serve("--latency 1");
        Program.Started find =
                start("find", SshBed.url(), "-c", "256", "-d", "2s", "--warmup", "2s");
        bed.awaitConnections(64); // the first level, of 16, is measured
        bed.killAgent();
        Program.Ended ended = find.end();
        assertThat(ended.err())
                .contains("wallfinder: the server is not watched any more")
                .contains("the agent on " + SshBed.SERVER + " ended")
                .contains("measure again");
        assertThat(ended.code()).isEqualTo(3);
        JsonNode run = run();
        assertThat(run.at("/ended").asString()).contains("the server is not watched any more");
        JsonNode trials = run.at("/trials");
        assertThat(trials).isNotEmpty();
        assertThat(trials.get(trials.size() - 1).at("/caveats").toString())
                .contains("\"peer-lost\"");
    }

    @Test
    @Tag("long")
    void capacity_watches_each_trial_there_and_ends_if_the_agent_is_killed() throws Exception {
        bed.serve("--latency 1");
        Program.Started capacity =
                start("capacity", SshBed.url(), "--objective", "p99 < 50ms", "-d", "2s");
        capacity.awaitOutput("/s: ");
        bed.killAgent();
        Program.Ended ended = capacity.end();
        assertThat(ended.err()).contains("the server is not watched any more");
        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.out()).contains("Ended: it failed: the server is not watched any more");
        JsonNode trials = run().at("/trials");
        assertThat(trials.get(0).at("/factors/peerHost").asString()).isEqualTo("far-host");
        assertThat(trials.get(0).at("/caveats").toString()).doesNotContain("\"peer-");
    }

    @Test
    @Tag("long")
    void hold_watches_the_server_there() throws Exception {
        bed.serve("--latency 1");
        Program.Ended held =
                start(
                                "hold",
                                "tcp://" + SshBed.FAR + ":" + SshBed.PORT,
                                "-c",
                                "32",
                                "--idle",
                                "-d",
                                "2s")
                        .end()
                        .measured();
        assertThat(held.out()).contains("watched on its own host: python3, process");
        JsonNode trial = run().at("/trials/0");
        assertThat(trial.at("/factors/peerHost").asString()).isEqualTo("far-host");
        assertThat(trial.at("/sandbox/serverWatched").asBoolean()).isTrue();
        String run = json.toString();
        assertThat(bed.onNear(program).run("compare", run, run).out().replaceAll("\\s+", " "))
                .contains("name of the host ", "name of the server's host far-host");
        bed.onNear(program)
                .run("hold", "tcp://127.0.0.1:1", "--synthetic", "--server", SshBed.SERVER)
                .failed(2, "--server and --synthetic cannot be used together");
    }

    /// Its threads need one lock for 5 ms each.
    @Test
    void load_knows_what_an_answer_there_waits_for_alone_and_under_the_load() throws Exception {
        bed.serveBy(
                "/usr/bin/python3 /run/far/workers.py --port %d --workers 40 --latency 2 --lock 5"
                        .formatted(SshBed.PORT));
        Program.Ended load = load(16);
        JsonNode trial = run().at("/trials/0");
        JsonNode alone = trial.at("/budget/aloneMicros");
        JsonNode loaded = trial.at("/budget/loadedMicros");
        assertThat(alone.at("/sleep").asDouble()).isBetween(4e3, 14e3);
        assertThat(alone.at("/lock").asDouble()).isLessThan(3e3);
        assertThat(loaded.at("/lock").asDouble()).isGreaterThan(30e3);
        load.judged(() -> load(16));
        assertThat(run().at("/trials/0/diagnosis/wall").asString()).isEqualTo("lock-contention");
    }

    @Test
    @Tag("long")
    void load_knows_what_is_slow_behind_a_unix_socket_there() throws Exception {
        bed.serveBy(
                "/usr/bin/python3 /run/far/server.py --port 9090 --unix behind --latency 30 --workers 4");
        bed.serveBy("/usr/bin/python3 /run/far/threads.py %d 0 ask:behind".formatted(SshBed.PORT));
        Program.Ended load = load(40);
        assertThat(run().at("/trials/0/budget/aloneMicros").toString()).contains("unix:@behind");
        load.judged(() -> load(40));
        assertThat(run().at("/trials/0/diagnosis/wall").asString()).isEqualTo("slow-dependency");
    }

    @Test
    @Tag("long")
    void an_answer_alone_there_is_seen_even_if_it_takes_less_than_a_millisecond() throws Exception {
        bed.serve("");
        start("load", SshBed.url(), "-c", "4", "-d", "2s").end().measured();
        JsonNode alone = run().at("/trials/0/budget/aloneMicros");
        assertThat(alone.at("/run").asDouble()).isPositive();
    }

    @Test
    void doctor_lists_the_limits_of_the_client_here_and_of_the_server_there() throws Exception {
        bed.serve(SHORT_QUEUE);
        Program.Ended doctor = start("doctor", SshBed.url(), "-c", "50k").end().done(1);
        assertThat(doctor.out())
                .contains("10.77.0.2:8081 on far-host: the plan does not fit")
                .contains("ephemeral-ports", "listen(..., 4)", "on far-host: prlimit --pid ")
                .doesNotContain("run doctor --port");
        JsonNode run = run();
        assertThat(run.at("/command").asString()).startsWith("wallfinder doctor " + SshBed.url());
        assertThat(run.at("/command").asString()).doesNotContain(COPIES, ".result");
        assertThat(bed.farther("ls -A " + COPIES).lines()).hasSize(1);
        assertThat(start("doctor", "--port", "99").end().code()).isEqualTo(3);
    }

    @Test
    @Tag("long")
    void a_new_copy_removes_those_that_nothing_has_used_for_a_week() throws Exception {
        bed.serve("--latency 1");
        for (String copy : new String[] {"old", "running", "recent"}) {
            bed.farther(
                    "mkdir -p %1$s/%2$s/lib; touch %1$s/%2$s/lib/build".formatted(COPIES, copy));
        }
        bed.farther("chown -R 4711:4711 /srv/far/.cache");
        bed.farther("touch -d '8 days ago' %1$s/old %1$s/running".formatted(COPIES));
        // A descriptor with the lock keeps it, as that of an agent does.
        bed.farther(
                "exec 9<%s/running/lib/build; flock -s 9; sleep 300 >/dev/null 2>&1 &"
                        .formatted(COPIES));
        start("load", SshBed.url(), "-c", "1", "-d", "1s").end().measured();
        assertThat(bed.farther("ls " + COPIES).lines())
                .hasSize(3)
                .contains("running", "recent")
                .doesNotContain("old");
        // The lock of an agent, as the removal asks for it.
        Program.Started load =
                bed.onNear(program)
                        .start("load", SshBed.url(), "-d", "10m", "--server", SshBed.SERVER);
        load.awaitOutput("on far-host");
        String taken =
                "cd %s && cd $(ls | grep -v r) && flock -n lib/build echo free || echo taken"
                        .formatted(COPIES);
        assertThat(bed.farther(taken)).contains("taken");
        load.signalled("INT").done(130);
        assertThat(bed.farther(taken)).contains("free");
    }
}
