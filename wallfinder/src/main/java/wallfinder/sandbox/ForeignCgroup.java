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
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.KernelFile;

/// A cgroup that we did not create. The root cgroup of the host does not count as one, because its
/// counters are those of the whole host.
///
/// @param name the last element of its path
/// @param dirs the folders of its counters and limits
/// @param folders all its folders: one in version 2, one for each controller in version 1
public record ForeignCgroup(String name, CgroupDirs dirs, List<Path> folders) {
    private static final String PROCS = "cgroup.procs";

    /// Bounds how many nested groups are read.
    private static final int FOLDERS_MAX = 4_096;

    /// `kubepods/burstable/podUID`, perhaps in a cgroup of the kubelet or of a container.
    private static final int POD_DEPTH_MAX = 8;

    public ForeignCgroup {
        folders = List.copyOf(folders);
    }

    /// The cgroup of a process; empty if it is the host's root, or visible neither from here nor
    /// through the root of the process.
    public static Optional<ForeignCgroup> of(long pid) {
        try {
            List<String> membership = KernelFile.lines(Path.of("/proc/" + pid + "/cgroup"));
            Optional<ForeignCgroup> here = of(pid, CgroupMounts.ofThisHost(), membership);
            return here.isPresent() ? here : of(pid, CgroupMounts.seenBy(pid), membership);
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

    /// The folder that lists the process. A container may mount a subtree, in which the first names
    /// of the path are missing.
    private static @Nullable Path folderOf(long pid, Path tree, String path) {
        Path names = Path.of("/").relativize(Path.of(path));
        for (int left = 0; left <= names.getNameCount(); left++) {
            boolean none = left == names.getNameCount();
            Path folder = none ? tree : tree.resolve(names.subpath(left, names.getNameCount()));
            if (processes(folder).contains(pid)) {
                return folder;
            }
        }
        return null;
    }

    /// The cgroup at a path: a mounted folder, or a path in the tree as `systemd-cgls`,
    /// `/proc/PID/cgroup` and unit names show it.
    ///
    /// @throws UsageException if there is none, or if it is the host's root cgroup
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
                                "write it as in /proc/PID/cgroup, or as a folder under"
                                        + " /sys/fs/cgroup"));
    }

    /// The cgroup of a pod, which a kubelet has named by its uid.
    ///
    /// @param name of the pod; the cgroup gets it
    /// @throws EnvironmentException if no pod with this uid runs here
    public static ForeignCgroup ofPod(String name, String uid) {
        CgroupMounts mounts = CgroupMounts.ofThisHost();
        List<Path> trees = new ArrayList<>(mounts.v1().values());
        if (mounts.v2() != null) {
            trees.add(mounts.v2());
        }
        for (Path tree : trees) {
            Path folder = podFolder(tree, uid);
            if (folder != null) {
                ForeignCgroup found = at(folder.toString(), mounts);
                return new ForeignCgroup(name, found.dirs(), found.folders());
            }
        }
        throw new EnvironmentException(
                "the pod " + name + " cannot be watched",
                "its node has no cgroup whose name contains its uid, " + uid,
                "see whether it has ended or moved: kubectl get pod -o wide " + name);
    }

    /// With systemd as its driver, a kubelet writes the uid with underscores.
    private static @Nullable Path podFolder(Path tree, String uid) {
        String other = uid.replace('-', '_');
        try (Stream<Path> folders = Files.walk(tree, POD_DEPTH_MAX)) {
            return folders.filter(
                            folder -> {
                                String last = String.valueOf(folder.getFileName());
                                return last.contains("pod" + uid) || last.contains("pod" + other);
                            })
                    .findFirst()
                    .orElse(null);
        } catch (IOException | java.io.UncheckedIOException e) {
            return null; // a folder has been removed meanwhile
        }
    }

    private static Path inTree(Path asked, CgroupMounts mounts) {
        List<Path> trees = new ArrayList<>(mounts.v1().values());
        if (mounts.v2() != null) {
            trees.add(mounts.v2());
        }
        // The longest first: the tree of version 2 may contain the mounts of the others.
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
        if (mounts.limitsInV1()) {
            CgroupDirs dirs = new CgroupDirs(1, v1.get("cpu"), v1.get("memory"), v1.get("pids"));
            return named(dirs, List.copyOf(new TreeSet<>(v1.values())));
        }
        // The root cgroup has no such file (cgroup-v2.rst).
        boolean usable = v2 != null && Files.exists(v2.resolve("cgroup.type"));
        return v2 == null || !usable
                ? Optional.empty()
                : named(new CgroupDirs(2, v2, v2, v2), List.of(v2));
    }

    private static Optional<ForeignCgroup> named(CgroupDirs dirs, List<Path> folders) {
        return folders.stream()
                .findFirst()
                .map(first -> Objects.requireNonNullElse(first.getFileName(), first).toString())
                .map(name -> new ForeignCgroup(name, dirs, folders));
    }

    public boolean exists() {
        return folders.stream().anyMatch(Files::isDirectory);
    }

    /// The PIDs in it and below. In version 1, the tree of only one controller may contain them.
    public long[] processes() {
        TreeSet<Long> pids = new TreeSet<>();
        for (Path folder : folders) {
            try (Stream<Path> below = Files.walk(folder)) {
                below.filter(Files::isDirectory)
                        .limit(FOLDERS_MAX)
                        .forEach(group -> pids.addAll(processes(group)));
            } catch (IOException | java.io.UncheckedIOException e) {
                // The folder has been removed meanwhile.
            }
        }
        return pids.stream().mapToLong(Long::longValue).toArray();
    }

    private static List<Long> processes(Path folder) {
        try {
            return KernelFile.lines(folder.resolve(PROCS)).stream()
                    .map(Long::valueOf)
                    .filter(pid -> pid > 0) // PIDs of other PID namespaces are shown as 0
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
