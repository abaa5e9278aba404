package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.linux.CgroupDirs;

class ProcessCgroupTest {
    @TempDir Path folder;

    private Path made(String name) throws Exception {
        return Files.createDirectories(folder.resolve(name));
    }

    @Test
    void version_1_has_a_folder_for_each_controller() throws Exception {
        Path memory = made("memory/app");
        Path pids = made("pids");
        CgroupMounts mounts =
                new CgroupMounts(
                        Map.of("memory", folder.resolve("memory"), "pids", pids), made("unified"));
        assertThat(ProcessCgroup.of(mounts, List.of("4:memory:/app", "3:pids:/", "0::/")))
                .contains(new CgroupDirs(1, null, memory, pids));
    }

    @Test
    void version_2_has_one_folder() throws Exception {
        Path own = made("system.slice/web.service");
        CgroupMounts mounts = new CgroupMounts(Map.of(), folder);
        assertThat(ProcessCgroup.of(mounts, List.of("0::/system.slice/web.service")))
                .contains(new CgroupDirs(2, own, own, own));
    }

    @Test
    void of_a_tree_that_is_mounted_in_part_the_rest_of_the_path_is_found() throws Exception {
        Path own = made("web");
        CgroupMounts mounts = new CgroupMounts(Map.of(), folder);
        assertThat(ProcessCgroup.of(mounts, List.of("0::/docker/0a1b/web")))
                .contains(new CgroupDirs(2, own, own, own));
        assertThat(ProcessCgroup.of(mounts, List.of("0::/docker/0a1b")))
                .contains(new CgroupDirs(2, folder, folder, folder));
    }

    @Test
    void a_process_that_is_gone_has_none() {
        assertThat(ProcessCgroup.of(1_000_000_000L)).isEmpty();
    }
}
