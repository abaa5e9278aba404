package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.Harm;
import wallfinder.diagnosis.Verdict;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Setting;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.ProcessFigure;
import wallfinder.record.RunRecord;

/// Services that may not start as many threads as they need.
@Tag("sandbox")
class PlantedThreadLimitTest extends PlantedTest {
    private static final String WALL = "thread-limit";

    /// The service has a thread for each of 48 connections, and one that accepts.
    private static String threads(int tasks) {
        return """
        services:
          planted: { command: python3 $threads.py 8081 50, pids: %d, ready: { log: ready } }
        load: { url: "http://{server}:8081/", connections: 48, warmup: 0s, duration: 2s }
        repeat: 2
        """
                .formatted(tasks);
    }

    @Test
    void a_service_that_cannot_start_threads_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, threads(30), 48);
        PlantedRun.assertNamed(trial, WALL, End.SERVER, "cgroup[].forksRefused", "cgroup[].tasks");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void a_service_that_uses_two_thirds_of_its_threads_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(threads(75), 48);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.largest(trial, CgroupFigure.TASKS.of("planted")))
                .isBetween(0.5 * 75, 0.8 * 75);
        if (!PlantedRun.starved(trial)) {
            PlantedRun.assertVerdict(trial, Verdict.NONE);
        }
    }

    /// The same service with a limit that the kernel does not count refusals of.
    private static String uncounted(String limit) {
        return """
        services:
          planted: { command: python3 $threads.py 8083 50 %s, ready: { log: ready } }
        load: { url: "http://{server}:8083/", connections: 48, warmup: 0s, duration: 2s }
        """
                .formatted(limit);
    }

    @Test
    @Tag("long")
    void a_user_who_may_not_have_more_threads_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, uncounted("user:30"), 48);
        PlantedRun.assertHeadline(trial, WALL, End.SERVER, "process[].userTasks", "closed");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void a_user_with_two_thirds_of_his_threads_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(uncounted("user:75"), 48);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.largest(trial, ProcessFigure.USER_TASKS.of("planted")))
                .isBetween(0.5 * 75, 0.8 * 75);
    }

    @Test
    @Tag("long")
    void a_process_without_memory_maps_for_more_threads_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, uncounted("maps:60"), 48);
        PlantedRun.assertHeadline(trial, WALL, End.SERVER, "process[].maps");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void a_process_with_some_memory_maps_left_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(uncounted("maps:600"), 48);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.largest(trial, ProcessFigure.MAPS.of("planted")))
                .isGreaterThan(60_000);
    }

    /// The limit allows the JVM's own threads and half of the workers.
    @Test
    @Tag("long")
    void a_jvm_that_cannot_create_native_threads_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        WALL,
                        """
                        services:
                          planted:
                            command: >-
                              {jvm}/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
                              $PoolServer.java 8082 1024 128 40
                            jvm: 25
                            pids: 45
                            ready: tcp://{server}:8082
                        load: { url: "http://{server}:8082/", connections: 100, timeout: 500ms,
                          warmup: 0s, duration: 2s }
                        """,
                        100);
        PlantedRun.assertHeadline(trial, WALL, End.SERVER, "cgroup[].forksRefused");
    }

    @Test
    @Tag("long")
    void find_raises_the_limit_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(threads(30), WALL, End.SERVER);
        PlantedRun.assertChanged(
                rung, new Setting.OfLimit("planted", Limits.Kind.PIDS), "30", "128");
        assertThat(rung.remedy().before().errors()).isPositive();
        assertThat(rung.remedy().kept()).isTrue();
    }
}
