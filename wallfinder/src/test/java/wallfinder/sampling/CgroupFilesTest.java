package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.End;

/// Reads cgroups from files that are like those of a kernel.
class CgroupFilesTest {
    private static final Path RESOURCES = Path.of("src/test/resources/sampling");

    @TempDir Path folder;

    @Test
    void a_cgroup_of_version_2_is_read_and_the_limit_above_it_counts() {
        Path service = RESOURCES.resolve("cgroup2/user/service");
        CgroupDirs dirs = new CgroupDirs(2, service, service, service);
        try (CgroupReader reader = new CgroupReader(End.SERVER, "users", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[users].periods", 42.0)
                    .containsEntry("cgroup[users].throttledPeriods", 40.0)
                    .containsEntry("cgroup[users].throttledSeconds", 2.5)
                    .containsEntry("cgroup[users].oomKills", 1.0)
                    .containsEntry("cgroup[users].limitHits", 17.0)
                    .containsEntry("cgroup[users].memory", 104857600.0)
                    .containsEntry("cgroup[users].memoryLimit", 209715200.0)
                    .containsEntry("cgroup[users].cpus", 0.5)
                    .containsEntry("cgroup[users].memoryAnonymous", 94371840.0)
                    .containsEntry("cgroup[users].memoryFile", 8388608.0)
                    .containsEntry("cgroup[users].memoryShared", 1048576.0)
                    .containsEntry("cgroup[users].memoryKernel", 2097152.0)
                    .containsEntry("cgroup[users].refaults", 4242.0)
                    .containsEntry("cgroup[users].majorFaults", 321.0)
                    .containsEntry("cgroup[users].swapRefaults", 77.0)
                    .containsEntry("cgroup[users].swap", 12582912.0)
                    .containsEntry("cgroup[users].tasks", 29.0)
                    .containsEntry("cgroup[users].taskLimit", 30.0)
                    .containsEntry("cgroup[users].forksRefused", 9.0);
        }
    }

    @Test
    void earlier_oom_kills_in_a_foreign_cgroup_are_not_counted() {
        Path service = RESOURCES.resolve("cgroup2/user/service");
        CgroupDirs dirs = new CgroupDirs(2, service, service, service);
        try (CgroupReader reader = CgroupReader.ofOthers(End.SERVER, "users", dirs)) {
            assertThat(Readings.of(reader)).containsEntry("cgroup[users].oomKills", 0.0);
        }
    }

    private void task(String group, String file, String text) throws Exception {
        Files.createDirectories(folder.resolve(group));
        Files.writeString(folder.resolve(group).resolve(file), text + "\n");
    }

    /// As of a pod whose limit the kubelet sets (`podPidsLimit`), on Linux 6.11 or later.
    @Test
    void threads_that_a_parents_limit_refused_are_counted_with_the_parents_tasks()
            throws Exception {
        task("pod", "pids.max", "500");
        task("pod", "pids.current", "450");
        task("pod", "pids.events", "max 70");
        task("pod", "pids.events.local", "max 7");
        task("pod/web", "pids.max", "max");
        task("pod/web", "pids.current", "440");
        task("pod/web", "pids.events", "max 2");
        CgroupDirs dirs = new CgroupDirs(2, null, null, folder.resolve("pod/web"));
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].tasks", 450.0)
                    .containsEntry("cgroup[web].taskLimit", 500.0)
                    .containsEntry("cgroup[web].forksRefused", 2.0);
            task("pod", "pids.current", "500");
            task("pod", "pids.events.local", "max 12");
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].tasks", 500.0)
                    .containsEntry("cgroup[web].forksRefused", 7.0);
        }
    }

    /// Before Linux 6.11 and in version 1, the group of the process counts the refusal.
    @Test
    void the_level_with_the_fewest_free_places_counts() throws Exception {
        task("pod", "pids.max", "500");
        task("pod", "pids.current", "460");
        task("pod", "pids.events", "max 70");
        task("pod/web", "pids.max", "300");
        task("pod/web", "pids.current", "290");
        task("pod/web", "pids.events", "max 2");
        CgroupDirs dirs = new CgroupDirs(1, null, null, folder.resolve("pod/web"));
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].tasks", 290.0)
                    .containsEntry("cgroup[web].taskLimit", 300.0)
                    .containsEntry("cgroup[web].forksRefused", 2.0);
            task("pod", "pids.current", "495");
            task("pod/web", "pids.events", "max 3");
            assertThat(Readings.inFull(reader))
                    .containsEntry("cgroup[web].tasks", 495.0)
                    .containsEntry("cgroup[web].taskLimit", 500.0)
                    .containsEntry("cgroup[web].forksRefused", 3.0);
        }
    }

    /// Linux 5.4 to 5.8 does not divide them.
    @Test
    void undivided_refaults_of_version_2_are_those_of_files() throws Exception {
        task("web", "memory.stat", "anon 5\nworkingset_refault 42");
        CgroupDirs dirs = new CgroupDirs(2, null, folder.resolve("web"), null);
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].refaults", 42.0)
                    .containsEntry("cgroup[web].swapRefaults", Double.NaN);
        }
        task("web", "memory.stat", "workingset_refault_anon 3\nworkingset_refault_file 4");
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader)).containsEntry("cgroup[web].refaults", 4.0);
        }
    }

    @Test
    void a_cgroup_without_limits_or_controllers_reads_as_nan() {
        Path user = RESOURCES.resolve("cgroup2/user");
        try (CgroupReader reader =
                        new CgroupReader(End.SERVER, "a", new CgroupDirs(2, user, null, null));
                CgroupReader none =
                        new CgroupReader(End.SERVER, "b", new CgroupDirs(1, null, null, null))) {
            assertThat(Readings.of(reader))
                    .hasSize(reader.counters().size())
                    .containsEntry("cgroup[a].cpus", Double.NaN);
            assertThat(Readings.of(none).values()).allMatch(v -> v.isNaN());
        }
    }
}
