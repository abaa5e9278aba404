package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `--server ssh:HOST` with a real sshd on another host, which is a namespace.
@Tag("sandbox")
@Tag("slow")
@Timeout(600)
class SshServerTest extends TwoHostsTest {
    private static final String COPIES = SshBed.COPIES;

    private static final String SHORT_QUEUE = "--backlog=4 --accept-pause 50 --latency 20";

    private Program.Started load(Program program, String... more) throws Exception {
        String[] words = {"load", SshBed.url(), "-c", "32", "--json", json.toString()};
        String[] all = Arrays.copyOf(words, words.length + more.length + 2);
        System.arraycopy(more, 0, all, words.length, more.length);
        all[all.length - 2] = "--server";
        all[all.length - 1] = SshBed.SERVER;
        return program.start(all);
    }

    private JsonNode trial() throws Exception {
        assertThat(Program.schemaErrors(json)).isEmpty();
        return JsonMapper.shared().readTree(Files.readAllBytes(json)).at("/trials/0");
    }

    @Test
    void the_wall_of_a_server_on_another_host_is_named_and_the_second_run_copies_nothing()
            throws Exception {
        bed.serve(SHORT_QUEUE);
        bed.farther("echo 'echo Welcome to this host' >/srv/far/.bashrc");
        Program.Ended first = atShortQueue();
        assertThat(first.err())
                .contains("copying Wallfinder to " + SshBed.SERVER + ", once")
                .contains("port 8081 on far-host (" + SshBed.SERVER + ")");
        assertThat(first.out()).contains("watched on its own host: python3, process");
        JsonNode trial = trial();
        assertThat(trial.at("/factors/peer").asString())
                .containsPattern("on far-host, its clock compared to within \\d+\\.\\d{3} ms");
        assertThat(trial.at("/factors/peerHost").asString()).isEqualTo("far-host");
        assertThat(Long.parseLong(trial.at("/factors/peerClockBoundMicros").asString()))
                .isBetween(1L, 1_000_000L);
        assertThat(trial.at("/sandbox/serverWatched").asBoolean()).isTrue();
        assertThat(trial.at("/caveats").toString()).doesNotContain("\"peer-");
        first.judged(this::atShortQueue);
        JsonNode diagnosis = trial().at("/diagnosis");
        assertThat(diagnosis.at("/verdict").asString()).isEqualTo("named");
        assertThat(diagnosis.at("/wall").asString()).isEqualTo("accept-queue");
        assertThat(diagnosis.at("/end").asString()).isEqualTo("server");
        bed.awaitNothingThere();
        Program.Ended second = load(bed.alone(program), "-d", "1s").end().measured();
        assertThat(second.err()).doesNotContain("copying").contains("on far-host");
        assertThat(bed.farther("ls -A " + COPIES).lines()).hasSize(1);
        bed.awaitNothingThere();
        assertThat(program.run("agents", "clean", SshBed.SERVER).done(0).out())
                .contains("removed " + COPIES + " on " + SshBed.SERVER + " (1 copies, ");
        assertThat(bed.farther("ls -A /srv/far/.cache/wallfinder")).isEmpty();
        assertThat(program.run("agents", "clean", SshBed.SERVER).done(0).out())
                .contains("there was no copy in " + COPIES);
    }

    private Program.Ended atShortQueue() throws Exception {
        return load(bed.alone(program), "--no-keepalive", "-d", "4s").end().measured();
    }

    private void assertNothingCopied() throws Exception {
        assertThat(bed.farther("ls -A " + COPIES + " 2>/dev/null || true")).isEmpty();
    }

    private Program.Ended refused(String... parts) throws Exception {
        return load(bed.onNear(program)).end().failed(3, parts);
    }

    @Test
    void a_host_that_ssh_does_not_reach_is_one_error_with_the_reason() throws Exception {
        bed.serve("--latency 1");
        bed.forgetKey();
        refused(
                "there is no connection to " + SshBed.SERVER,
                "it accepts none of your keys",
                "ssh -o BatchMode=yes far@10.77.0.2 true");
        bed.forgetHosts();
        refused("its host key is not in your known_hosts", "ssh far@10.77.0.2");
        bed.key(folder.resolve("other"));
        bed.know(folder.resolve("other.pub"));
        refused("its host key is not the one in your known_hosts", "ssh-keygen -R 10.77.0.2");
        bed.farther("kill $(cat /run/far/sshd.pid)");
        refused("nothing listens on its port for ssh", "Connection refused");
        bed.onNear(program)
                .run("load", SshBed.url(), "--server", "ssh:far@" + SshBed.NOBODY)
                .failed(3, "the host does not answer", "check the address");
        bed.onNear(program)
                .run("load", SshBed.url(), "--server", "ssh:nowhere.invalid")
                .failed(3, "no address is known for that name");
        load(bed.onNear(program).under("env", "PATH=/nonexistent"))
                .end()
                .failed(3, "the program ssh is not installed on this host", "openssh-client");
        assertThat(program.runs()).isEmpty();
        assertNothingCopied();
    }

    @Test
    @Tag("long")
    void a_server_that_cannot_be_watched_there_is_one_error() throws Exception {
        bed.serve("--latency 1");
        bed.farther("mount -t tmpfs -o size=20m,uid=4711 tmpfs /srv/far");
        Program.Ended full = load(bed.onNear(program)).end();
        assertThat(full.err())
                .contains("cannot be copied to " + COPIES, "its disk is full")
                .contains("agents clean " + SshBed.SERVER);
        assertThat(full.code()).isEqualTo(3);
        assertNothingCopied();
        bed.farther("umount /srv/far");
        Program.Ended missing = load(bed.onNear(program), "--server-port", "99").end();
        assertThat(missing.err())
                .contains("port 99 cannot be watched (on " + SshBed.SERVER + ")")
                .contains("nothing listens on port 99");
        assertThat(missing.code()).isEqualTo(3);
        // A copy that somebody changed is the only way to another version.
        bed.farther(
                "cd %s/* && printf '#!/bin/sh\nexec cat /run/far/old' >bin/wallfinder"
                        .formatted(COPIES));
        bed.give("old", SshBed.helloOf("0.0.1"));
        refused(
                "the two hosts run different versions of Wallfinder",
                "0.0.1",
                "agents clean ssh:HOST");
        bed.farther("cd %s/* && echo exit 7 >bin/wallfinder".formatted(COPIES));
        refused("the agent on " + SshBed.SERVER + " did not start", "agents clean");
        bed.awaitNothingThere();
    }

    @Test
    @Tag("long")
    void an_agent_that_is_killed_leaves_the_load_and_a_doubt() throws Exception {
        bed.serve("--latency 1");
        Program.Started load = load(bed.alone(program), "-d", "6s");
        load.awaitOutput("on far-host");
        bed.awaitConnections(32);
        bed.killAgent();
        Program.Ended ended = load.end().measured();
        assertThat(ended.err())
                .contains("the agent on " + SshBed.SERVER + " ended")
                .contains("the server is not watched from now on");
        JsonNode trial = trial();
        assertThat(trial.at("/load/good").asLong()).isPositive();
        assertThat(trial.at("/caveats").toString()).contains("\"peer-lost\"");
        bed.awaitNothingThere();
    }

    @Test
    @Tag("long")
    void a_killed_load_leaves_nothing_alive_on_either_host() throws Exception {
        bed.serve("--latency 1");
        List<Path> before = Program.children(Path.of("/tmp"), "wallfinder-ssh-*");
        Program.Started copying = load(bed.onNear(program), "-d", "10m");
        copying.awaitOutput("copying Wallfinder");
        copying.process().destroyForcibly().waitFor();
        bed.awaitNothingThere();
        assertNothingCopied();
        program.assertNothingRuns();
        Program.Started load = load(bed.onNear(program), "-d", "10m");
        load.awaitOutput("on far-host");
        assertThat(bed.agents()).hasSize(1);
        bed.onNear(program)
                .run("agents", "clean", SshBed.SERVER)
                .failed(3, "1 of the copies in " + COPIES, "an agent is at work there");
        load.process().destroyForcibly().waitFor();
        bed.awaitNothingThere();
        program.assertNothingRuns();
        assertThat(bed.farther("ls -A " + COPIES).lines()).hasSize(1);
        List<Path> left = Program.children(Path.of("/tmp"), "wallfinder-ssh-*");
        left.removeAll(before);
        assertThat(left).isNotEmpty();
        bed.onNear(program).run("agents", "clean", SshBed.SERVER).done(0);
        assertThat(left).allSatisfy(folder -> assertThat(folder).doesNotExist());
        // The next sandbox removes the locks of killed runs.
        for (Path lock : Program.children(program.file("run/wallfinder"), "*")) {
            Files.delete(lock);
        }
    }

    @Test
    @Tag("long")
    void a_cut_network_leaves_the_load_a_doubt_and_no_agent() throws Exception {
        bed.serve("--latency 1");
        Program.Started load = load(bed.alone(program), "-d", "25s");
        load.awaitOutput("on far-host");
        bed.awaitConnections(32);
        bed.cut();
        Program.Ended ended = load.end().measured();
        assertThat(ended.err()).contains("the server is not watched from now on");
        assertThat(trial().at("/caveats").toString()).contains("\"peer-lost\"");
        // It hears no ping, and nothing closes its connection.
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!bed.agents().isEmpty()) {
            assertThat(System.nanoTime()).as("the agent lives").isLessThan(end);
        }
    }

    @Test
    @Tag("long")
    void ctrl_c_ends_both_sides_in_order_and_reports_what_was_measured() throws Exception {
        bed.serve("--latency 1");
        Program.Started load = load(bed.onNear(program), "-d", "10m");
        load.awaitOutput("on far-host");
        bed.awaitConnections(32);
        // As a terminal sends it: to the whole process group.
        assertThat(load.signalled("INT").done(130).out()).contains("watched on its own host");
        assertThat(trial().at("/caveats").toString()).doesNotContain("peer-lost");
        bed.awaitNothingThere();
    }

    @Test
    void watch_and_doctor_work_on_another_host() throws Exception {
        bed.serve(SHORT_QUEUE);
        String[] there = {"--server", SshBed.SERVER, "--port", "" + SshBed.PORT};
        Program.Ended watch =
                bed.onNear(program)
                        .run("watch", there[0], there[1], there[2], there[3], "-d", "1s");
        assertThat(watch.done(0).out())
                .contains("python3, process", "on far-host: watched for 1.", "observation.json");
        assertThat(program.text("runs", "observation.json")).contains("far-host");
        Program.Ended doctor =
                bed.onNear(program)
                        .run(
                                "doctor",
                                there[0],
                                there[1],
                                there[2],
                                there[3],
                                "-c",
                                "50k",
                                "--json",
                                json.toString());
        assertThat(doctor.done(1).out())
                .contains("port 8081 on far-host: the plan does not fit", "listen(..., 4)")
                .contains("on far-host: prlimit --pid ")
                .doesNotContain("ephemeral-ports");
        bed.onNear(program)
                .run("load", SshBed.url(), there[0], there[1], "--peer", "x.json")
                .failed(2, "--server and --peer cannot be used together");
        bed.awaitNothingThere();
    }
}
