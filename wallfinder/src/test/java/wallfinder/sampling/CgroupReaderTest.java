package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.End;

/// A real cgroup of version 1.
@Tag("sandbox")
class CgroupReaderTest {
    private static final Path CPU = Path.of("/sys/fs/cgroup/cpu");
    private static final Path MEMORY = Path.of("/sys/fs/cgroup/memory");
    private static final String NAME = "wallfinder-test-" + ProcessHandle.current().pid();

    @Test
    void throttling_and_the_memory_limit_of_a_real_cgroup_are_seen() throws Exception {
        assumeTrue(
                Files.isWritable(CPU.resolve("cpu.cfs_quota_us")) && Files.isWritable(MEMORY),
                "SKIPPED: no writable cgroup v1 here");
        Path cpu = Files.createDirectory(CPU.resolve(NAME));
        Path memory = Files.createDirectory(MEMORY.resolve(NAME));
        Process burner = null;
        try {
            Files.writeString(cpu.resolve("cpu.cfs_quota_us"), "5000");
            Files.writeString(memory.resolve("memory.limit_in_bytes"), "67108864");
            burner = startInside(cpu, memory);
            checkThrottling(new CgroupDirs(1, cpu, memory, null));
        } finally {
            if (burner != null) {
                burner.destroyForcibly();
                assertThat(burner.waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
            remove(cpu);
            remove(memory);
        }
    }

    private static void checkThrottling(CgroupDirs dirs) {
        try (CgroupReader reader = new CgroupReader(End.SERVER, "x", dirs)) {
            double before = Readings.of(reader).get("cgroup[x].throttledPeriods");
            Readings.waitFor(
                    "throttled periods",
                    () -> Readings.of(reader).get("cgroup[x].throttledPeriods") > before + 2);
            Map<String, Double> values = Readings.of(reader);
            assertThat(values.get("cgroup[x].periods")).isGreaterThan(2);
            assertThat(values.get("cgroup[x].throttledSeconds")).isPositive();
            assertThat(values)
                    .containsEntry("cgroup[x].cpus", 0.05)
                    .containsEntry("cgroup[x].memoryLimit", 67108864.0)
                    .containsEntry("cgroup[x].oomKills", 0.0);
            assertThat(values.get("cgroup[x].limitHits")).isNotNegative();
            assertThat(values.get("cgroup[x].memory")).isNotNegative();
        }
    }

    private static Process startInside(Path cpu, Path memory) throws IOException {
        String join = "echo $$ > " + cpu + "/cgroup.procs; echo $$ > " + memory + "/cgroup.procs; ";
        return new ProcessBuilder("sh", "-c", join + "ulimit -t 60; while :; do :; done").start();
    }

    /// The kernel lets go of an ended process a moment after its parent was told.
    private static void remove(Path group) {
        Readings.waitFor("the cgroup is removed", () -> group.toFile().delete());
    }
}
