package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.Limits;
import wallfinder.linux.CgroupDirs;
import wallfinder.linux.EnvironmentException;

class CgroupHostTest {
    private static final Limits ALL = new Limits(null, 50L, 64L << 20, 1.5, null, null, null);

    @TempDir Path folder;

    private static List<String> recorded(String name) throws Exception {
        try (var in = CgroupHostTest.class.getResourceAsStream("mountinfo-" + name + ".txt")) {
            return new String(in.readAllBytes()).lines().toList();
        }
    }

    @Test
    void a_host_with_version_1_has_a_tree_for_each_controller() throws Exception {
        CgroupMounts mounts = CgroupMounts.parse(recorded("v1"));
        assertThat(mounts.v1())
                .isEqualTo(
                        Map.of(
                                "cpu", Path.of("/sys/fs/cgroup/cpu,cpuacct"),
                                "cpuacct", Path.of("/sys/fs/cgroup/cpu,cpuacct"),
                                "memory", Path.of("/sys/fs/cgroup/memory"),
                                "pids", Path.of("/sys/fs/cgroup/pids")));
        assertThat(mounts.v2()).isNull();
    }

    @Test
    void a_hybrid_host_has_both_and_its_limits_in_version_1() throws Exception {
        CgroupMounts mounts = CgroupMounts.parse(recorded("hybrid"));
        assertThat(mounts.v1()).containsKeys("cpu", "cpuacct", "memory", "pids");
        assertThat(mounts.v2()).isEqualTo(Path.of("/sys/fs/cgroup/unified"));
    }

    @Test
    void a_host_with_version_2_has_one_tree() throws Exception {
        CgroupMounts mounts = CgroupMounts.parse(recorded("v2"));
        assertThat(mounts.v1()).isEmpty();
        assertThat(mounts.v2()).isEqualTo(Path.of("/sys/fs/cgroup"));
    }

    private void makeV2(String subtreeControl) throws Exception {
        for (String path : List.of("", "user.slice", "user.slice/session-1.scope")) {
            Path group = Files.createDirectories(folder.resolve(path));
            Files.writeString(group.resolve("cgroup.procs"), "");
            Files.writeString(group.resolve("cgroup.subtree_control"), "");
        }
        Files.writeString(folder.resolve("cgroup.subtree_control"), subtreeControl);
    }

    private CgroupHost v2() {
        return CgroupHost.of(
                new CgroupMounts(Map.of(), folder), List.of("0::/user.slice/session-1.scope"));
    }

    @Test
    void version_2_uses_the_topmost_folder_that_delegates_controllers() throws Exception {
        makeV2("cpu memory pids\n");
        assertThat(v2()).isEqualTo(new CgroupHost.V2(folder, Set.of("cpu", "memory", "pids")));
    }

    @Test
    void limits_without_a_controller_are_refused() throws Exception {
        makeV2("");
        try (RunLock run = RunLock.hold(folder.resolve("run"), "r")) {
            assertThatThrownBy(() -> Cgroup.create(v2(), run, "users", ALL))
                    .isInstanceOf(EnvironmentException.class)
                    .hasMessageContaining("[cpu, memory, pids]");
            CgroupHost none = new CgroupHost.None("no cgroup tree is mounted");
            assertThatThrownBy(() -> Cgroup.create(none, run, "users", ALL))
                    .isInstanceOf(EnvironmentException.class)
                    .hasMessageContaining("no cgroup tree is mounted");
            assertThat(Cgroup.create(none, run, "users", Limits.NONE)).isNull();
        }
    }

    @Test
    void a_limit_that_cannot_be_set_leaves_no_folder() throws Exception {
        // A plain folder has no kernel files, so nothing can be written to them.
        makeV2("cpu memory pids\n");
        assertRefused(v2(), ALL);
        Path cpu = Files.createDirectory(folder.resolve("cpu"));
        Path pids = Files.createDirectory(folder.resolve("pids"));
        CgroupHost v1 = new CgroupHost.V1(new TreeMap<>(Map.of("cpu", cpu, "pids", pids)));
        assertRefused(v1, new Limits(null, 50L, null, 1.5, null, null, null));
        Files.delete(pids);
        assertRefused(v1, Limits.NONE);
    }

    private void assertRefused(CgroupHost host, Limits limits) throws Exception {
        try (RunLock run = RunLock.hold(folder.resolve("run"), "r")) {
            assertThatThrownBy(() -> Cgroup.create(host, run, "users", limits))
                    .isInstanceOf(EnvironmentException.class)
                    .hasMessageContaining(" of users cannot be ");
        }
        try (Stream<Path> left =
                Files.find(folder, 9, (path, _) -> path.endsWith("wallfinder-r"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void version_2_limits_are_written_in_its_own_files() throws Exception {
        makeV2("cpu memory pids\n");
        // A plain folder has no kernel files, so the test creates them before it sets the limits.
        Path group = folder.resolve("wallfinder-r/users");
        Files.createDirectories(group);
        for (String file : List.of("memory.max", "memory.swap.max", "cpu.max", "pids.max")) {
            Files.createFile(group.resolve(file));
        }
        Cgroup cgroup = new Cgroup(v2(), "users", List.of(group));
        cgroup.limit(ALL);
        assertThat(group.resolve("memory.max")).hasContent("" + (64L << 20));
        assertThat(group.resolve("memory.swap.max")).hasContent("0");
        assertThat(group.resolve("cpu.max")).hasContent("150000 100000");
        assertThat(group.resolve("pids.max")).hasContent("50");
        assertThat(cgroup.dirs()).isEqualTo(new CgroupDirs(2, group, group, group));
    }

    @Test
    void a_group_of_version_2_without_controllers_still_has_the_limits_of_its_parents()
            throws Exception {
        makeV2("pids\n");
        Path group = folder.resolve("wallfinder-r/users");
        assertThat(new Cgroup(v2(), "users", List.of(group)).dirs())
                .isEqualTo(new CgroupDirs(2, group, group, group));
    }
}
