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

/// The mount points of the cgroup trees, from `/proc/self/mountinfo` (`proc(5)`). Each line has six
/// or more fields, the fifth of which is the mount point, then a dash, the file system type, the
/// source and the options.
///
/// @param v1 the tree of each controller in version 1
/// @param v2 the unified tree, or null
record CgroupMounts(Map<String, Path> v1, @Nullable Path v2) {
    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");

    static final Set<String> USED = Set.of("cpu", "cpuacct", "memory", "pids");

    static CgroupMounts ofThisHost() {
        try {
            return parse(KernelFile.lines(MOUNTINFO));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The mounts that a process sees, as paths through its root. A container may have mounted what
    /// is not mounted here.
    static CgroupMounts seenBy(long pid) throws IOException {
        Path proc = Path.of("/proc/" + pid);
        Path root = proc.resolve("root");
        CgroupMounts seen = parse(KernelFile.lines(proc.resolve("mountinfo")));
        Map<String, Path> v1 = new TreeMap<>();
        seen.v1.forEach((controller, point) -> v1.put(controller, below(root, point)));
        return new CgroupMounts(v1, seen.v2 == null ? null : below(root, seen.v2));
    }

    private static Path below(Path root, Path point) {
        return root.resolve(Path.of("/").relativize(point));
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

    /// A hybrid host has both trees, and its limits in version 1.
    boolean limitsInV1() {
        return v1.containsKey("memory") || v1.containsKey("cpu");
    }

    /// Spaces in a mount point are octal escapes.
    private static String unescape(String path) {
        return path.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    }
}
