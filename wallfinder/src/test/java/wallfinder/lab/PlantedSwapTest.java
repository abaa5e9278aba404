package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Setting;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.record.RunRecord;

/// Services whose own memory does not fit their cgroup, and the look-alikes.
///
/// All of it is long: a swap file belongs to the whole host, and its disk decides how long a page
/// takes.
@Tag("sandbox")
@Tag("long")
class PlantedSwapTest extends PlantedTest {
    private static final String WALL = "swap";
    private static final String CACHE = "page-cache";
    private static final String PYTHON = "python3 $touches.py 8084 80 50";
    private static final String NODE = "node $server.js --port 8084 --megabytes 80 --looks 90";

    @BeforeEach
    void needSwap() {
        assumeTrue(SwapFile.isPossible(), "this host allows no swap file");
    }

    private static String experiment(String command, String memory) {
        return """
        services:
          planted:
            command: %s
            memory: %s
            swap: 200m
            ready: { log: ready }
        load: { url: "http://{server}:8084/", connections: 8, warmup: 0s, duration: 3s }
        repeat: 2
        """
                .formatted(command, memory);
    }

    @ParameterizedTest
    @ValueSource(strings = {PYTHON, NODE})
    void memory_that_does_not_fit_is_named(String command) throws Exception {
        String memory = command.equals(NODE) ? "60m" : "48m"; // Node.js itself needs more
        RunRecord.Trial trial = run.planted(WALL, experiment(command, memory), 8);
        PlantedRun.assertHeadline(
                trial,
                WALL,
                End.SERVER,
                "cgroup[].swapRefaults",
                "cgroup[].majorFaults",
                "cgroup[].swap",
                "waits[].page");
        PlantedRun.assertNotNamed(trial, CACHE);
        PlantedRun.assertNotNamed(trial, "disk-io");
    }

    @Test
    void memory_that_fits_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(experiment(PYTHON, "150m"), 8);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.largest(trial, CgroupFigure.MEMORY.of("planted")))
                .isGreaterThan(80L << 20);
    }

    /// Half of its memory is in swap and stays there.
    @Test
    void swap_that_nobody_needs_back_is_not_named() throws Exception {
        RunRecord.Trial trial = run.control(experiment(PYTHON + " 16", "48m"), 8);
        PlantedRun.assertNotNamed(trial, WALL);
        assertThat(PlantedRun.largest(trial, CgroupFigure.SWAP.of("planted")))
                .isGreaterThan(30L << 20);
    }

    /// The kernel could also move what the program allocated to swap.
    @Test
    void files_that_do_not_fit_are_page_cache_and_not_swap() throws Exception {
        String pages = "python3 $files.py 8084 " + folder + "/pages 80 50";
        RunRecord.Trial trial = run.planted(CACHE, experiment(pages, "48m"), 8);
        PlantedRun.assertHeadline(trial, CACHE, End.SERVER, "cgroup[].refaults");
        PlantedRun.assertNotNamed(trial, WALL);
    }

    @Test
    void find_raises_the_limit_and_proves_the_gain() throws Exception {
        RunRecord.Rung rung = run.firstRung(experiment(PYTHON, "48m"), WALL, End.SERVER);
        PlantedRun.assertChanged(
                rung, new Setting.OfLimit("planted", Limits.Kind.MEMORY), "48m", "192m");
        assertThat(rung.remedy().kept()).isTrue();
    }
}
