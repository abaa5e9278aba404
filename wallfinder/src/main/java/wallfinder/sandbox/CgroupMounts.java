package wallfinder.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.KernelFile;

/// Where the cgroup trees are mounted, as `/proc/self/mountinfo` tells (`proc(5)`): six or more
/// fields with the mount point fifth, a dash, then file system type, source and options.
///
/// @param v1 the tree of each controller that version 1 has
/// @param v2 the unified tree, or null
record CgroupMounts(Map<String, Path> v1, @Nullable Path v2) {
    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");

    /// The controllers that are used.
    static final Set<String> USED = Set.of("cpu", "cpuacct", "memory", "pids");

    static CgroupMounts ofThisHost() {
        try {
            return parse(KernelFile.lines(MOUNTINFO));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static CgroupMounts parse(List<String> mountinfo) {
        Map<String, Path> v1 = new TreeMap<>();
        Path v2 = null;
        for (String line : mountinfo) {
            int dash = line.indexOf(" - ");
            String[] mount = line.substring(0, Math.max(0, dash)).split(" ");
            String[] system = line.substring(dash + 3).split(" ");
            if (dash < 0 || mount.length < 6 || system.length < 3) {
                continue;
            }
            Path point = Path.of(unescape(mount[4]));
            if (system[0].equals("cgroup2")) {
                v2 = v2 == null ? point : v2;
            } else if (system[0].equals("cgroup")) {
                for (String option : system[2].split(",")) {
                    if (USED.contains(option)) {
                        v1.putIfAbsent(option, point);
                    }
                }
            }
        }
        return new CgroupMounts(v1, v2);
    }

    /// Blanks in a mount point are written in octal.
    private static String unescape(String path) {
        return path.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    }
}
