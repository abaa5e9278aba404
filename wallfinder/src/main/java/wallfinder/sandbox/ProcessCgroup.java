package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.CgroupDirs;

/// The cgroup of any process of this host.
public final class ProcessCgroup {
    private ProcessCgroup() {}

    /// Empty if the process is gone or the tree is not mounted.
    public static Optional<CgroupDirs> of(long pid) {
        try {
            List<String> membership = KernelFile.lines(Path.of("/proc/" + pid + "/cgroup"));
            return of(CgroupMounts.ofThisHost(), membership);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// @param membership the lines `ID:CONTROLLERS:PATH` of `/proc/PID/cgroup`
    static Optional<CgroupDirs> of(CgroupMounts mounts, List<String> membership) {
        Map<String, Path> folders = new TreeMap<>();
        Path unified = null;
        for (String line : membership) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            for (String controller : parts[1].split(",")) {
                Path top = mounts.v1().get(controller);
                if (top != null) {
                    folders.put(controller, folder(top, parts[2]));
                }
            }
            if (parts[1].isEmpty() && mounts.v2() != null) {
                unified = folder(mounts.v2(), parts[2]);
            }
        }
        if (!folders.isEmpty()) {
            @Nullable Path cpu = folders.get("cpu");
            return Optional.of(new CgroupDirs(1, cpu, folders.get("memory"), folders.get("pids")));
        }
        return Optional.ofNullable(unified).map(one -> new CgroupDirs(2, one, one, one));
    }

    /// In a container only a part of the tree may be mounted: its path then begins further down.
    private static Path folder(Path top, String path) {
        Path below = Path.of("/").relativize(Path.of(path).normalize());
        for (int from = 0; from < below.getNameCount(); from++) {
            Path folder = top.resolve(below.subpath(from, below.getNameCount()));
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        return top;
    }
}
