package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.UsageException;
import wallfinder.linux.CgroupDirs;

/// Cgroups of others, in folders that look like the kernel's trees.
class ForeignCgroupTest {
    @TempDir Path top;

    private Path group(String path, String processes) throws IOException {
        Path folder = Files.createDirectories(top.resolve(path));
        Files.writeString(folder.resolve("cgroup.procs"), processes);
        Files.writeString(folder.resolve("cgroup.type"), "domain\n");
        return folder;
    }

    private CgroupMounts version2() {
        return new CgroupMounts(Map.of(), top);
    }

    private CgroupMounts version1() {
        return new CgroupMounts(
                Map.of("cpu", top.resolve("cpu"), "memory", top.resolve("memory")), null);
    }

    @Test
    void a_cgroup_of_version_2_has_one_folder() throws Exception {
        Path folder = group("system.slice/web.service", "41\n42\n");
        ForeignCgroup found =
                ForeignCgroup.of(42, version2(), List.of("0::/system.slice/web.service"))
                        .orElseThrow();
        assertThat(found.name()).isEqualTo("web.service");
        assertThat(found.dirs()).isEqualTo(new CgroupDirs(2, folder, folder, folder));
        assertThat(found.processes()).containsExactly(41, 42);
    }

    @Test
    void a_cgroup_of_version_1_has_a_folder_for_each_controller() throws Exception {
        Path cpu = group("cpu/web", "42\n");
        Path memory = group("memory/docker/web", "42\n");
        ForeignCgroup found =
                ForeignCgroup.of(42, version1(), List.of("3:memory:/docker/web", "2:cpu:/web"))
                        .orElseThrow();
        assertThat(found.dirs()).isEqualTo(new CgroupDirs(1, cpu, memory, null));
    }

    @Test
    void the_cgroup_is_found_in_a_container_that_mounts_a_subtree() throws Exception {
        group("", "1\n");
        Path folder = group("web", "42\n");
        assertThat(
                        ForeignCgroup.of(42, version2(), List.of("0::/docker/abc/web"))
                                .orElseThrow()
                                .dirs()
                                .cpu())
                .isEqualTo(folder);
    }

    @Test
    void the_root_cgroup_of_the_host_is_not_a_cgroup_of_a_service() throws Exception {
        Path cpu = group("cpu", "42\n");
        Files.writeString(cpu.resolve("release_agent"), "");
        assertThat(ForeignCgroup.of(42, version1(), List.of("2:cpu:/"))).isEmpty();
        Files.writeString(top.resolve("cgroup.procs"), "42\n");
        assertThat(ForeignCgroup.of(42, version2(), List.of("0::/"))).isEmpty();
        assertThatThrownBy(() -> ForeignCgroup.at("/", version2()))
                .isInstanceOf(UsageException.class);
    }

    @Test
    void a_group_is_found_by_its_folder_and_by_its_path_in_the_tree() throws Exception {
        Path folder = group("system.slice/web.service", "42\n");
        for (String path :
                List.of(
                        folder.toString(),
                        "/system.slice/web.service",
                        "system.slice/web.service/")) {
            assertThat(ForeignCgroup.at(path, version2()).dirs().memory()).isEqualTo(folder);
        }
    }

    @Test
    void processes_of_nested_cgroups_are_included() throws Exception {
        group("pod", "");
        group("pod/one", "7\n");
        group("pod/two", "9\n8\n");
        assertThat(ForeignCgroup.at("pod", version2()).processes()).containsExactly(7, 8, 9);
    }

    /// As from a container that shares its processes with another one, but mounts only its own
    /// cgroup.
    @Test
    @Tag("sandbox")
    @Timeout(60)
    void a_cgroup_that_is_not_mounted_here_is_found_through_the_root_of_the_process()
            throws Exception {
        CgroupMounts mounts = CgroupMounts.ofThisHost();
        Path tree = mounts.limitsInV1() ? mounts.v1().get("cpu") : mounts.v2();
        assumeTrue(tree != null && Files.isWritable(tree), "SKIPPED: no writable cgroup here");
        Path folder = Files.createDirectory(tree.resolve("wallfinder-test-unmounted"));
        String script = "echo $$ > %s/cgroup.procs; echo inside; exec sleep 60".formatted(folder);
        Process inside = new ProcessBuilder("sh", "-c", script).start();
        try {
            assertThat(inside.inputReader().readLine()).isEqualTo("inside");
            long pid = inside.pid();
            List<String> membership = Files.readAllLines(Path.of("/proc/" + pid + "/cgroup"));
            Path found =
                    ForeignCgroup.of(pid, CgroupMounts.seenBy(pid), membership)
                            .orElseThrow()
                            .dirs()
                            .cpu();
            assertThat(found).asString().startsWith("/proc/" + pid + "/root");
            assertThat(Files.isSameFile(found, folder)).isTrue();
        } finally {
            inside.destroyForcibly().waitFor();
            // The kernel removes an ended process from its cgroup a moment later.
            while (!folder.toFile().delete()) {
                Thread.onSpinWait();
            }
        }
    }
}
