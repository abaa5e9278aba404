package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.linux.CgroupDirs;
import wallfinder.linux.KernelFile;

/// A cgroup that was not made here, seen from outside. The top of the host's tree is none: what it
/// counts is the whole host's.
///
/// @param name its last name
/// @param dirs where its counters and limits are
/// @param folders all its folders: one in version 2, one for each controller in version 1
public record ForeignCgroup(String name, CgroupDirs dirs, List<Path> folders) {
    private static final String PROCS = "cgroup.procs";

    /// Groups in a group beyond this many are not looked at.
    private static final int FOLDERS_MAX = 4_096;

    public ForeignCgroup {
        folders = List.copyOf(folders);
    }

    /// The one that a process is in; empty if that is the host's own, or cannot be seen from here.
    public static Optional<ForeignCgroup> of(long pid) {
        try {
            return of(
                    pid,
                    CgroupMounts.ofThisHost(),
                    KernelFile.lines(Path.of("/proc/" + pid + "/cgroup")));
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or the kernel has no cgroups
        }
    }

    static Optional<ForeignCgroup> of(long pid, CgroupMounts mounts, List<String> membership) {
        Map<String, Path> v1 = new TreeMap<>();
        Path v2 = null;
        for (String line : membership) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            if (parts[1].isEmpty() && mounts.v2() != null) {
                v2 = folderOf(pid, mounts.v2(), parts[2]);
            }
            for (String controller : parts[1].split(",")) {
                Path tree = mounts.v1().get(controller);
                Path folder = tree == null ? null : folderOf(pid, tree, parts[2]);
                if (folder != null) {
                    v1.put(controller, folder);
                }
            }
        }
        return make(mounts, v1, v2);
    }

    /// The folder that lists the process. In a container the tree is mounted from a group further
    /// down than the path says, so the first names of the path may be missing.
    private static @Nullable Path folderOf(long pid, Path tree, String path) {
        Path names = Path.of("/").relativize(Path.of(path));
        for (int left = 0; left <= names.getNameCount(); left++) {
            Path folder =
                    left == names.getNameCount()
                            ? tree
                            : tree.resolve(names.subpath(left, names.getNameCount()));
            if (processes(folder).contains(pid)) {
                return folder;
            }
        }
        return null;
    }

    /// The one at a path: a folder as it is mounted, or the path in the tree, as `systemd-cgls`,
    /// `/proc/PID/cgroup` and unit names have it.
    ///
    /// @throws UsageException if there is none, or if it is the top of the host's tree
    public static ForeignCgroup at(String path) {
        return at(path, CgroupMounts.ofThisHost());
    }

    static ForeignCgroup at(String path, CgroupMounts mounts) {
        Path asked = Path.of(path).normalize();
        Path inTree = inTree(asked, mounts);
        Map<String, Path> v1 = new TreeMap<>();
        mounts.v1()
                .forEach((controller, tree) -> {
                    Path folder = tree.resolve(inTree);
                    if (Files.isDirectory(folder)) {
                        v1.put(controller, folder);
                    }
                });
        Path v2 = mounts.v2() == null ? null : mounts.v2().resolve(inTree);
        return make(mounts, v1, v2 != null && Files.isDirectory(v2) ? v2 : null)
                .orElseThrow(() ->
                        new UsageException(
                                "there is no cgroup " + path,
                                "no mounted cgroup tree has that folder, or it is the top of the tree",
                                "give it as `cat /proc/PID/cgroup` tells it, or as a folder under"
                                        + " /sys/fs/cgroup"));
    }

    private static Path inTree(Path asked, CgroupMounts mounts) {
        List<Path> trees = new ArrayList<>(mounts.v1().values());
        if (mounts.v2() != null) {
            trees.add(mounts.v2());
        }
        // The longest first: the tree of version 2 may hold the mounts of the others.
        trees.sort((a, b) -> b.getNameCount() - a.getNameCount());
        for (Path tree : trees) {
            if (asked.startsWith(tree)) {
                return tree.relativize(asked);
            }
        }
        return asked.isAbsolute() ? Path.of("/").relativize(asked) : asked;
    }

    private static Optional<ForeignCgroup> make(
            CgroupMounts mounts, Map<String, Path> v1, @Nullable Path v2) {
        v1.values().removeIf(folder -> Files.exists(folder.resolve("release_agent")));
        boolean first = mounts.v1().containsKey("memory") || mounts.v1().containsKey("cpu");
        if (first) {
            List<Path> folders = List.copyOf(new TreeSet<>(v1.values()));
            return folders.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new ForeignCgroup(
                                    name(folders.getFirst()),
                                    new CgroupDirs(
                                            1, v1.get("cpu"), v1.get("memory"), v1.get("pids")),
                                    folders));
        }
        boolean usable = v2 != null && Files.exists(v2.resolve("cgroup.type"));
        return v2 == null || !usable
                ? Optional.empty()
                : Optional.of(
                        new ForeignCgroup(name(v2), new CgroupDirs(2, v2, v2, v2), List.of(v2)));
    }

    private static String name(Path folder) {
        return Objects.requireNonNullElse(folder.getFileName(), folder).toString();
    }

    /// Whether it is still there.
    public boolean exists() {
        return folders.stream().anyMatch(Files::isDirectory);
    }

    /// The processes in it and in the groups below, by number. In version 1 they may stand in the
    /// tree of one controller only.
    public long[] processes() {
        TreeSet<Long> pids = new TreeSet<>();
        for (Path folder : folders) {
            try (Stream<Path> below = Files.walk(folder)) {
                below.filter(Files::isDirectory)
                        .limit(FOLDERS_MAX)
                        .forEach(group -> pids.addAll(processes(group)));
            } catch (IOException | java.io.UncheckedIOException e) {
                // It has gone meanwhile.
            }
        }
        return pids.stream().mapToLong(Long::longValue).toArray();
    }

    private static List<Long> processes(Path folder) {
        try {
            return KernelFile.lines(folder.resolve(PROCS)).stream()
                    .map(Long::valueOf)
                    .filter(pid -> pid > 0) // those of other process namespaces are told as 0
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
