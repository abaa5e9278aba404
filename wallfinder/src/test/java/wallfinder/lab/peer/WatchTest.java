package wallfinder.lab.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.Nginx;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.lab.session.RunContext;
import wallfinder.lab.trial.OwnGenerator;
import wallfinder.lab.trial.SandboxTestbed;
import wallfinder.lab.trial.ScalableHttpLoad;
import wallfinder.lab.trial.TrialHosts;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.End;
import wallfinder.observation.ListenFigure;
import wallfinder.observation.ProcessFigure;
import wallfinder.record.RunRecord;
import wallfinder.sandbox.ForeignCgroup;
import wallfinder.sandbox.RunLock;
import wallfinder.sandbox.Sandboxes;

/// Services in their own network namespace and cgroup, as in a container, are watched from the host
/// while another program drives them.
@Tag("sandbox")
@Timeout(180)
class WatchTest extends PlantedTest {
    private static final Duration WATCHED = Duration.ofSeconds(4);
    private static final long DRIVEN_SECONDS_MAX = 60;

    /// Watches the last service of an experiment while its load runs.
    private RunRecord.Trial watched(String yaml, LongFunction<WatchSubject> subject)
            throws Exception {
        Experiment experiment = run.experiment(yaml);
        LoadSpec.Http http = (LoadSpec.Http) experiment.load();
        CountDownLatch driven = new CountDownLatch(1);
        try (PlantedRun driver = new PlantedRun(folder);
                SandboxTestbed testbed =
                        TrialHosts.here(run.context()).open(experiment, "watched")) {
            driver.onLive(state -> driven.countDown());
            ScalableHttpLoad httpLoad =
                    new ScalableHttpLoad(
                            new OwnGenerator(testbed, http, driver.context()), http, null);
            Thread load =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() ->
                                    httpLoad.trial(
                                            "load",
                                            http.connections(),
                                            Duration.ofSeconds(DRIVEN_SECONDS_MAX),
                                            false));
            try {
                assertThat(driven.await(DRIVEN_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
                long pid = testbed.facts().services().getLast().pid();
                try (Watch watch = new Watch(subject.apply(pid))) {
                    return watch.run(WATCHED, run.context()).trial();
                }
            } finally {
                driver.interruption().request();
                load.join();
            }
        }
    }

    private static WatchSubject byPid(long pid) {
        return new WatchSubject.OfPid(pid);
    }

    private static WatchSubject byCgroup(long pid) {
        return new WatchSubject.OfCgroup(
                ForeignCgroup.of(pid).orElseThrow().folders().getFirst().toString());
    }

    private static void assertNamed(RunRecord.Trial trial, String wall, String... counters) {
        PlantedRun.assertVerdict(trial, Verdict.NAMED);
        PlantedRun.assertWall(trial, wall, End.SERVER, counters);
        assertThat(trial.diagnosis().headline().harm()).isNull();
    }

    private static void assertNotNamed(RunRecord.Trial trial, String wall) {
        assertThat(trial.diagnosis().wallId()).as(PlantedRun.describe(trial)).isNotEqualTo(wall);
        assertThat(trial.diagnosis().ruledOut())
                .as(PlantedRun.describe(trial))
                .anySatisfy(out -> assertThat(out.wall().id().word()).isEqualTo(wall));
    }

    private static String batches(int backlog) {
        return """
        services:
          planted:
            command: >-
              python3 $server.py --port 8081 --backlog=%d --accept-pause 20 --latency 20
            ready: { log: ready }
        sandbox: { server: { net.core.somaxconn: 4096 } }
        load: { url: "http://{server}:8081/", connections: 24, keepalive: false, arrival: lockstep }
        """
                .formatted(backlog);
    }

    @Test
    void a_queue_that_overflows_all_the_time_is_named_from_outside_the_container()
            throws Exception {
        RunRecord.Trial trial = watched(batches(8), WatchTest::byPid);
        assertNamed(trial, "accept-queue", "listen[].queue");
        assertThat(trial.observation().facts().isolation()).isEqualTo("namespaces");
        assertThat(trial.observation().facts().services().getFirst().listens())
                .containsExactly(8081);
    }

    @Test
    @Tag("long")
    void a_queue_with_room_for_the_batches_is_not_named() throws Exception {
        RunRecord.Trial trial = watched(batches(48), WatchTest::byPid);
        assertNotNamed(trial, "accept-queue");
        assertThat(
                        trial.observation()
                                .timeline()
                                .find(ListenFigure.LIMIT.of(8081), End.SERVER)
                                .orElseThrow()
                                .last())
                .isEqualTo(48);
    }

    /// Each request costs 5 ms of CPU. 8 clients send in a closed loop.
    private static String computing(String limit) {
        return """
        services:
          planted:
            command: python3 $server.py --port 8081 --cpu 5
            %s
            ready: { log: ready }
        load: { url: "http://{server}:8081/", connections: 8 }
        """
                .formatted(limit);
    }

    @Test
    @Tag("long")
    void a_used_up_quota_is_named_for_a_process() throws Exception {
        RunRecord.Trial trial = watched(computing("cpus: 0.05"), WatchTest::byPid);
        assertNamed(trial, "cpu-quota", "cgroup[].throttledPeriods");
    }

    @Test
    @Tag("long")
    void a_used_up_quota_is_named_for_a_cgroup() throws Exception {
        assertNamed(watched(computing("cpus: 0.05"), WatchTest::byCgroup), "cpu-quota");
    }

    @Test
    @Tag("long")
    void without_a_quota_it_is_not_named() throws Exception {
        assertNotNamed(watched(computing(""), WatchTest::byPid), "cpu-quota");
    }

    /// nginx has a master and a worker, which does all the work.
    @Test
    void the_quota_of_nginx_is_named_for_a_cgroup_and_all_its_processes_are_seen()
            throws Exception {
        quotaOfNginx(WatchTest::byCgroup);
    }

    @Test
    @Tag("long")
    void the_quota_of_nginx_is_named_for_its_master_and_all_its_processes_are_seen()
            throws Exception {
        quotaOfNginx(WatchTest::byPid);
    }

    private void quotaOfNginx(LongFunction<WatchSubject> subject) throws Exception {
        RunRecord.Trial trial =
                watched(
                        """
                        services:
                          planted: { command: "%s", cpus: 0.02, ready: "tcp://{server}:8082" }
                        load: { url: "http://{server}:8082/", connections: 16 }
                        """
                                .formatted(Nginx.service(folder, 8082)),
                        subject);
        assertNamed(trial, "cpu-quota");
        String name = trial.observation().facts().services().getFirst().name();
        assertThat(PlantedRun.largest(trial, ProcessFigure.THREADS.of(name))).isEqualTo(2);
    }

    /// The JVM's own tools fail without a descriptor, so the evidence comes from outside.
    @Test
    @Tag("long")
    void a_jvm_without_a_descriptor_left_is_named() throws Exception {
        RunRecord.Trial trial =
                watched(
                        """
                        services:
                          planted:
                            command: >-
                              {jvm}/bin/java -XX:TieredStopAtLevel=1 $PoolServer.java 8081 1024 4 1
                            jvm: 25
                            nofile: 80
                            ready: http://{server}:8081/
                        load: { url: "http://{server}:8081/", connections: 100 }
                        """,
                        WatchTest::byPid);
        assertNamed(trial, "file-descriptors");
    }

    @Test
    @Tag("long")
    void a_server_without_a_descriptor_left_is_named() throws Exception {
        RunRecord.Trial trial =
                watched(
                        """
                        services:
                          planted: { command: python3 $server.py --port 8081 --latency 20,
                            nofile: 64, ready: { log: ready } }
                        load: { url: "http://{server}:8081/", connections: 100 }
                        """,
                        WatchTest::byPid);
        assertNamed(trial, "file-descriptors", "process[].descriptors");
    }

    @Test
    void a_server_that_was_refused_threads_before_the_watch_is_named() throws Exception {
        RunRecord.Trial trial =
                watched(
                        """
                        services:
                          planted: { command: python3 $threads.py 8081 50, pids: 30,
                            ready: { log: ready } }
                        load: { url: "http://{server}:8081/", connections: 48 }
                        """,
                        WatchTest::byPid);
        assertNamed(trial, "thread-limit");
    }

    /// The load begins after the watch: forty requests of 2 MB each exceed the service's memory.
    @Test
    void a_server_that_is_killed_for_memory_is_named() throws Exception {
        Experiment experiment =
                run.experiment(
                        """
                        services:
                          planted:
                            command: python3 $server.py --port 8081 --latency 100 --memory 2048
                            memory: 64m
                            ready: { log: ready }
                        load: { url: "http://{server}:8081/", connections: 40 }
                        """);
        CountDownLatch watched = new CountDownLatch(1);
        run.onLive(state -> {
            if (state.startsWith("watching")) {
                watched.countDown();
            }
        });
        try (PlantedRun driver = new PlantedRun(folder);
                SandboxTestbed testbed =
                        TrialHosts.here(run.context()).open(experiment, "watched");
                Watch watch = new Watch(byPid(testbed.facts().services().getLast().pid()))) {
            LoadSpec.Http http = (LoadSpec.Http) experiment.load();
            ScalableHttpLoad httpLoad =
                    new ScalableHttpLoad(
                            new OwnGenerator(testbed, http, driver.context()), http, null);
            Thread load =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() -> {
                                awaitThat(watched);
                                httpLoad.trial("load", 40, Duration.ofSeconds(2), false);
                            });
            RunRecord.Trial trial =
                    watch.run(Duration.ofSeconds(DRIVEN_SECONDS_MAX), run.context()).trial();
            load.join();
            assertNamed(trial, "memory-limit");
            assertThat(PlantedRun.doubts(trial)).contains("service-ended");
        }
    }

    private static void awaitThat(CountDownLatch fact) {
        try {
            assertThat(fact.await(DRIVEN_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void the_end_of_the_service_is_reported_and_the_observation_is_kept() throws Exception {
        // A process that needs no CPU: a service that has just started may be at the CPU.
        Process server = new ProcessBuilder("sleep", "1000").start();
        try (Watch watch = new Watch(byPid(server.pid()))) {
            run.onLive(state -> server.destroyForcibly());
            RunRecord.Trial trial = watch.run(null, run.context()).trial();
            assertThat(PlantedRun.doubts(trial)).contains("service-ended");
            assertThat(trial.observation().timeline().nanos()).hasSizeGreaterThan(2);
            assertThat(trial.diagnosis().verdict())
                    .as(trial.diagnosis().toString())
                    .isEqualTo(Verdict.NONE);
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void leftovers_beside_a_watched_service_are_doubted() throws Exception {
        Process server = new ProcessBuilder("sleep", "1000").start();
        try (RunLock lock = Sandboxes.runBesideLeftovers(folder.resolve("locks"));
                Watch watch = new Watch(byPid(server.pid()))) {
            RunContext context = run.context();
            RunContext beside =
                    new RunContext(
                            context.home(),
                            lock,
                            context.folder(),
                            context.engine(),
                            context.interruption(),
                            context.progress());
            RunRecord.Trial trial = watch.run(Duration.ofMillis(300), beside).trial();
            assertThat(PlantedRun.doubts(trial)).contains("leftovers");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void a_subject_that_does_not_exist_is_refused() {
        assertThatThrownBy(() -> new Watch(byPid(Integer.MAX_VALUE)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("there is no process");
        assertThatThrownBy(() -> new Watch(new WatchSubject.OfCgroup("no/such/group")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("there is no cgroup");
        assertThatThrownBy(() -> new Watch(new WatchSubject.OfPort(1)))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("nothing listens on port 1");
    }
}
