package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.CgroupDirs;
import wallfinder.observation.Bound;
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

    private void write(String group, String file, String text) throws Exception {
        Files.createDirectories(folder.resolve(group));
        Files.writeString(folder.resolve(group).resolve(file), text + "\n");
    }

    /// A group of version 2, as of a service of systemd, for which nobody enabled the `cpu`
    /// controller. Its parent has the controller.
    ///
    /// @param max the `cpu.max` of the parent
    private CgroupDirs withoutCpu(String max) throws Exception {
        write(".", "cgroup.procs", "1");
        write("web.slice", "cgroup.procs", "");
        write("web.slice", "cgroup.type", "domain");
        write("web.slice", "cpu.max", max + " 100000");
        write("web.slice", "cpu.stat", "usage_usec 9\nnr_periods 42\nnr_throttled 0");
        write("web.slice/web", "cgroup.procs", "42");
        write("web.slice/web", "cgroup.type", "domain");
        write("web.slice/web", "cpu.stat", "usage_usec 5");
        write("web.slice/web", "memory.current", "4096");
        Path web = folder.resolve("web.slice/web");
        return new CgroupDirs(2, web, web, web);
    }

    @Test
    void the_quota_above_a_group_without_the_cpu_controller_counts() throws Exception {
        CgroupDirs dirs = withoutCpu("150000");
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].cpus", 1.5)
                    .containsEntry("cgroup[web].throttledPeriods", Double.NaN)
                    .containsEntry("cgroup[web in web.slice].cpus", 1.5)
                    .containsEntry("cgroup[web in web.slice].periods", 42.0)
                    .containsEntry("cgroup[web in web.slice].throttledPeriods", 0.0);
        }
        assertThat(CgroupBounds.of(End.SERVER, dirs))
                .extracting(Bound::kind, Bound::limit)
                .containsExactly(tuple(Bound.Kind.CPU_QUOTA, 1.5));
    }

    @Test
    void a_group_without_the_cpu_controller_is_counted_in_its_parent_if_no_group_has_a_quota()
            throws Exception {
        CgroupDirs dirs = withoutCpu("max");
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].cpus", Double.NaN)
                    .containsEntry("cgroup[web].periods", 42.0)
                    .containsEntry("cgroup[web].throttledPeriods", 0.0);
            assertThat(reader.counters().getFirst().source())
                    .isEqualTo(folder.resolve("web.slice/cpu.stat").toString());
        }
    }

    /// A group above the container may have a quota, too.
    @Test
    void in_a_container_such_a_group_without_a_visible_quota_is_not_counted() throws Exception {
        CgroupDirs dirs = withoutCpu("max");
        write(".", "cgroup.type", "domain");
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].throttledPeriods", Double.NaN);
        }
    }

    /// As of a pod whose limit the kubelet sets (`podPidsLimit`), on Linux 6.11 or later.
    @Test
    void threads_that_a_parents_limit_refused_are_counted_apart_with_the_parents_tasks()
            throws Exception {
        write("pod", "pids.max", "500");
        write("pod", "pids.current", "450");
        write("pod", "pids.events", "max 70");
        write("pod", "pids.events.local", "max 7");
        write("pod/web", "pids.max", "max");
        write("pod/web", "pids.current", "440");
        write("pod/web", "pids.events", "max 2");
        CgroupDirs dirs = new CgroupDirs(2, null, null, folder.resolve("pod/web"));
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].tasks", 450.0)
                    .containsEntry("cgroup[web].taskLimit", 500.0)
                    .containsEntry("cgroup[web].forksRefused", 2.0)
                    .containsEntry("cgroup[web].forksRefusedAbove", 0.0);
            write("pod", "pids.current", "500");
            write("pod", "pids.events.local", "max 12");
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].tasks", 500.0)
                    .containsEntry("cgroup[web].forksRefused", 2.0)
                    .containsEntry("cgroup[web].forksRefusedAbove", 5.0);
        }
    }

    /// Before Linux 6.11 and in version 1, the group of the process counts the refusal.
    @Test
    void the_level_with_the_fewest_free_places_counts() throws Exception {
        write("pod", "pids.max", "500");
        write("pod", "pids.current", "460");
        write("pod", "pids.events", "max 70");
        write("pod/web", "pids.max", "300");
        write("pod/web", "pids.current", "290");
        write("pod/web", "pids.events", "max 2");
        CgroupDirs dirs = new CgroupDirs(1, null, null, folder.resolve("pod/web"));
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].tasks", 290.0)
                    .containsEntry("cgroup[web].taskLimit", 300.0)
                    .containsEntry("cgroup[web].forksRefused", 2.0);
            write("pod", "pids.current", "495");
            write("pod/web", "pids.events", "max 3");
            assertThat(Readings.inFull(reader))
                    .containsEntry("cgroup[web].tasks", 495.0)
                    .containsEntry("cgroup[web].taskLimit", 500.0)
                    .containsEntry("cgroup[web].forksRefused", 3.0)
                    .containsEntry("cgroup[web].forksRefusedAbove", Double.NaN);
        }
    }

    /// Linux 5.4 to 5.8 does not divide them.
    @Test
    void undivided_refaults_of_version_2_are_those_of_files() throws Exception {
        write("web", "memory.stat", "anon 5\nworkingset_refault 42");
        CgroupDirs dirs = new CgroupDirs(2, null, folder.resolve("web"), null);
        try (CgroupReader reader = new CgroupReader(End.SERVER, "web", dirs)) {
            assertThat(Readings.of(reader))
                    .containsEntry("cgroup[web].refaults", 42.0)
                    .containsEntry("cgroup[web].swapRefaults", Double.NaN);
        }
        write("web", "memory.stat", "workingset_refault_anon 3\nworkingset_refault_file 4");
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
