package wallfinder.lab.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.StartedProcesses;
import wallfinder.Tree;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.lab.Nginx;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.CpuPlan;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandbox;
import wallfinder.sandbox.Sandboxes;
import wallfinder.sandbox.Service;

/// Client and server on two hosts, which here are two network namespaces. The program watches in
/// one and drives the load in the other, and only a file connects them. The named walls must be
/// those of one sandbox.
@Tag("sandbox")
@Tag("slow")
@Timeout(300)
class TwoHostsTest extends PlantedTest {
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final int ATTEMPTS_MAX = 4;
    private static final String CLIENT = "client";

    @RegisterExtension final StartedProcesses started = new StartedProcesses();

    /// Starts the program in a namespace, with its own folder of locks, as on another host.
    private Process program(long tid, String host, String... arguments) throws IOException {
        Path locks = Files.createDirectories(folder.resolve(host + "-run"));
        List<String> words = new ArrayList<>();
        words.addAll(List.of("unshare", "--mount", "--propagation", "private", "sh", "-c"));
        words.addAll(List.of("mount --bind \"$0\" /run && exec \"$@\"", locks.toString()));
        words.addAll(List.of("nsenter", "-t", Long.toString(tid), "-n"));
        if (host.equals(CLIENT)) { // another host does not see the server's processes
            words.addAll(List.of("unshare", "--pid", "--kill-child", "--mount-proc"));
        }
        words.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        words.addAll(List.of("--enable-native-access=wallfinder", "-XX:TieredStopAtLevel=1"));
        words.addAll(List.of("-XX:+UseSerialGC", "-Dwallfinder.home=" + Tree.ROOT));
        words.addAll(List.of("-p", Tree.ROOT.resolve("wallfinder/target/modules").toString()));
        words.addAll(List.of("-m", "wallfinder/wallfinder.cli.Main"));
        words.addAll(List.of(arguments));
        Process process =
                new ProcessBuilder(words)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log(host).toFile())
                        .start();
        started.add(process);
        return process;
    }

    private Path log(String host) {
        return folder.resolve(host + ".txt");
    }

    private String output(String host) {
        try {
            return Files.exists(log(host)) ? Files.readString(log(host)) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(BooleanSupplier fact) {
        long end = System.nanoTime() + BOUND.toNanos();
        while (!fact.getAsBoolean() && System.nanoTime() < end) {
            LockSupport.parkNanos(10_000_000);
        }
        assertThat(fact.getAsBoolean()).isTrue();
    }

    /// Runs the load of an experiment as on two hosts.
    ///
    /// @param watched whether the program watches the server's host
    /// @return the trial in the client's `run.json`
    private JsonNode asTwoHosts(Experiment experiment, boolean watched) throws Exception {
        LoadSpec.Http http = (LoadSpec.Http) experiment.load();
        try (RunLock lock = RunLock.hold("hosts-" + UUID.randomUUID());
                Sandbox sandbox =
                        Sandbox.open(experiment.sandbox(), lock, folder, CpuPlan.split(1))) {
            Service service = Sandboxes.start(sandbox, experiment.services().getFirst());
            Path there = folder.resolve("there");
            Path carried = folder.resolve("carried.json");
            Files.deleteIfExists(carried);
            Process watch = null;
            if (watched) {
                watch =
                        program(
                                sandbox.holderTid(End.SERVER),
                                "server",
                                "watch",
                                "--pid=" + service.pid(),
                                "--out=" + there);
                await(() -> output("server").contains("watching "));
            }
            Path json = folder.resolve("run.json");
            List<String> words = new ArrayList<>();
            words.addAll(
                    List.of("load", http.url().replace("{server}", Sandboxes.server(sandbox))));
            words.addAll(List.of("-c", Integer.toString(http.connections()), "-d", "4s"));
            words.addAll(List.of("--json", json.toString(), "--out", folder + "/here"));
            if (!http.keepalive()) {
                words.add("--no-keepalive");
            }
            if (watched) {
                words.add("--peer=" + carried);
            }
            Process load =
                    program(sandbox.holderTid(End.CLIENT), CLIENT, words.toArray(String[]::new));
            if (watch != null) {
                await(() -> output(CLIENT).contains("The load is done") || !load.isAlive());
                new ProcessBuilder("kill", "-INT", Long.toString(watch.pid())).start().waitFor();
                assertThat(watch.waitFor(BOUND)).as(output("server")).isTrue();
                assertThat(watch.exitValue()).as(output("server")).isEqualTo(130);
                Files.copy(there.resolve("observation.json"), carried);
            }
            assertThat(load.waitFor(BOUND)).as(output(CLIENT)).isTrue();
            assertThat(load.exitValue()).as(output(CLIENT)).isIn(0, 4);
            return JsonMapper.shared().readTree(Files.readAllBytes(json)).at("/trials/0");
        }
    }

    private void assertSameVerdict(String wall, String yaml) throws Exception {
        Experiment experiment = run.experiment(yaml);
        int connections = ((LoadSpec.Http) experiment.load()).connections();
        RunRecord.Trial together = run.planted(wall, yaml, connections);
        PlantedRun.assertVerdict(together, Verdict.NAMED);
        PlantedRun.assertWall(together, wall, End.SERVER);
        String expected = "named " + wall + " server";
        JsonNode apart = asTwoHosts(experiment, true);
        for (int attempt = 2; !verdict(apart).equals(expected); attempt++) {
            // A generator without its CPU gives no verdict.
            assertThat(attempt).as(apart + output(CLIENT)).isLessThanOrEqualTo(ATTEMPTS_MAX);
            apart = asTwoHosts(experiment, true);
        }
        assertThat(verdict(apart)).isEqualTo(expected);
        assertThat(apart.at("/factors/peer").asString()).contains("one clock");
        assertThat(apart.at("/sandbox/serverWatched").asBoolean()).isTrue();
        assertThat(apart.at("/caveats").toString()).doesNotContain("\"peer-");
    }

    private static String verdict(JsonNode trial) {
        JsonNode diagnosis = trial.at("/diagnosis");
        return "%s %s %s"
                .formatted(
                        diagnosis.at("/verdict").asString(),
                        diagnosis.at("/wall").asString(""),
                        diagnosis.at("/end").asString(""));
    }

    private static final String SHORT_QUEUE =
            """
            services:
              planted:
                command: >-
                  python3 $server.py --port 8081 --backlog=4 --accept-pause 50 --latency 20
                ready: { log: ready }
            load: { url: "http://{server}:8081/", connections: 32, keepalive: false, duration: 4s,
              warmup: 0s }
            """;

    @Test
    @Tag("long")
    void a_full_accept_queue_is_named_as_in_one_sandbox() throws Exception {
        assertSameVerdict("accept-queue", SHORT_QUEUE);
    }

    @Tag("long")
    @Test
    void a_used_up_quota_is_named_as_in_one_sandbox() throws Exception {
        assertSameVerdict(
                "cpu-quota",
                """
                services:
                  planted: { command: python3 $server.py --port 8081 --cpu 5, cpus: 0.1,
                    ready: { log: ready } }
                load: { url: "http://{server}:8081/", connections: 8, duration: 4s, warmup: 0s }
                """);
    }

    @Test
    @Tag("long")
    void the_quota_of_nginx_is_named_as_in_one_sandbox() throws Exception {
        assertSameVerdict(
                "cpu-quota",
                """
                services: { planted: { command: "%s", cpus: 0.02, ready: "tcp://{server}:8082" } }
                load: { url: "http://{server}:8082/", connections: 16, duration: 4s, warmup: 0s }
                """
                        .formatted(Nginx.service(folder, 8082)));
    }

    @Test
    @Tag("long")
    void an_unwatched_server_is_judged_by_what_the_client_saw() throws Exception {
        JsonNode trial = asTwoHosts(run.experiment(SHORT_QUEUE), false);
        assertThat(verdict(trial))
                .as(trial.toString())
                .isIn("unnamed  ", "invalid load-generator client");
        if (trial.at("/diagnosis/verdict").asString().equals("unnamed")) {
            assertThat(trial.at("/diagnosis/seen").asString()).contains("server not watched");
        }
        assertThat(trial.at("/sandbox/serverWatched").asBoolean()).isFalse();
    }
}
