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
import wallfinder.record.RunRecord;

/// Services whose requests or files need more memory than their cgroup has.
@Tag("sandbox")
class PlantedMemoryTest extends PlantedTest {
    private static final String WALL = "memory-limit";
    private static final String CACHE = "page-cache";

    /// Each of 40 requests holds 2 MB for 100 ms. Python itself needs about 15 MB.
    private static String forty(String limit) {
        return """
        services:
          planted:
            command: python3 $server.py --port 8081 --latency 100 --memory 2048
            memory: %s
            ready: { log: ready }
        load: { url: "http://{server}:8081/", connections: 40, warmup: 0s, duration: 2s }
        repeat: 2
        """
                .formatted(limit);
    }

    @Test
    void a_service_that_was_killed_for_memory_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(WALL, forty("64m"), 40);
        PlantedRun.assertNamed(trial, WALL, End.SERVER, "cgroup[].oomKills");
        assertThat(trial.diagnosis().headline().harm()).isEqualTo(Harm.ERRORS);
    }

    @Test
    @Tag("long")
    void a_service_that_uses_more_than_half_of_its_memory_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(forty("160m"), 40);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.largest(trial, CgroupFigure.MEMORY.of("planted")))
                .isGreaterThan(80L << 20);
        assertThat(trial.observation().load().errors()).isEmpty();
        assertThat(trial.diagnosis().verdict()).isNotEqualTo(Verdict.INVALID);
    }

    /// The heap may grow beyond the cgroup's limit.
    @Test
    @Tag("long")
    void a_jvm_whose_heap_is_larger_than_its_container_is_named() throws Exception {
        RunRecord.Trial trial =
                run.planted(
                        WALL,
                        """
                        services:
                          planted:
                            command: >-
                              {jvm}/bin/java -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1
                              $PoolServer.java 8082 1024 64 100 8192
                            jvm: 25
                            memory: 300m
                            ready: tcp://{server}:8082
                        load: { url: "http://{server}:8082/", connections: 48, warmup: 0s,
                          duration: 2s }
                        """,
                        48);
        PlantedRun.assertHeadline(trial, WALL, End.SERVER, "cgroup[].oomKills");
    }

    @Test
    @Tag("long")
    void find_raises_the_limit_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(forty("64m"), WALL, End.SERVER);
        PlantedRun.assertChanged(
                rung, new Setting.OfLimit("planted", Limits.Kind.MEMORY), "64m", "256m");
        assertThat(rung.remedy().before().errors()).isPositive();
        assertThat(rung.remedy().kept()).isTrue();
    }

    /// Each request reads 50 pages of a file of 80 MB.
    private String pages(String limit) {
        return """
        services:
          planted:
            command: python3 $files.py 8083 %s/pages 80 50
            memory: %s
            ready: { log: ready }
        load: { url: "http://{server}:8083/", connections: 8, warmup: 0s, duration: 2s }
        repeat: 2
        """
                .formatted(folder, limit);
    }

    @Test
    @Tag("long")
    void a_service_that_reads_its_files_again_and_again_is_named() throws Exception {
        RunRecord.Trial trial = run.planted(CACHE, pages("48m"), 8);
        PlantedRun.assertHeadline(
                trial, CACHE, End.SERVER, "cgroup[].refaults", "cgroup[].majorFaults");
        assertThat(PlantedRun.growth(trial, CgroupFigure.OOM_KILLS.of("planted"))).isZero();
    }

    @Test
    @Tag("long")
    void a_service_whose_files_fill_two_thirds_of_its_memory_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(pages("150m"), 8);
        PlantedRun.assertNotNamed(trial, CACHE);
        assertThat(PlantedRun.largest(trial, CgroupFigure.MEMORY.of("planted")))
                .isGreaterThan(80L << 20);
    }
}
