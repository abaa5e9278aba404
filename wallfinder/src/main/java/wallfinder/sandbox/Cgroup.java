package wallfinder.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.Limits;
import wallfinder.linux.CgroupDirs;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.KernelFile;
import wallfinder.linux.Processes;

/// The cgroup of one service: `wallfinder-RUN/SERVICE` in the tree of each controller (version 1)
/// or in the unified tree (version 2). It sets the limits and finds all descendants of the service.
final class Cgroup implements AutoCloseable {
    private static final Duration EMPTY_MAX = Duration.ofSeconds(20);
    private static final long PERIOD_MICROS = 100_000;
    private static final long QUOTA_MICROS_MIN = 1_000; // the kernel's minimum
    private static final String PROCS = "cgroup.procs";
    private static final int SAME_NAME_MAX = 1_000;

    private final CgroupHost host;
    private final String name;
    private final List<Path> folders;

    Cgroup(CgroupHost host, String name, List<Path> folders) {
        this.host = host;
        this.name = name;
        this.folders = folders;
    }

    static String runFolder(String runId) {
        return "wallfinder-" + runId;
    }

    /// Creates the cgroup of a service and sets its limits.
    ///
    /// @return null if the host does not let us create cgroups and no limit needs one
    static @Nullable Cgroup create(CgroupHost host, RunLock run, String service, Limits limits) {
        checkLimits(host, service, limits);
        List<Path> runFolders =
                switch (host) {
                    case CgroupHost.V1 v1 ->
                            v1.tops().stream()
                                    .map(top -> top.resolve(runFolder(run.runId())))
                                    .toList();
                    case CgroupHost.V2 v2 -> List.of(v2.parent().resolve(runFolder(run.runId())));
                    case CgroupHost.None none -> List.of();
                };
        if (runFolders.isEmpty()) {
            return null;
        }
        Cgroup cgroup = new Cgroup(host, service, folders(runFolders, service));
        boolean created = false;
        try {
            for (Path folder : runFolders) {
                makeRunFolder(host, run, folder);
            }
            for (Path folder : cgroup.folders) {
                Files.createDirectory(folder);
            }
            cgroup.limit(limits);
            created = true;
            return cgroup;
        } catch (IOException e) {
            throw failed("the cgroup of " + service + " cannot be created", e);
        } finally {
            if (!created) {
                cgroup.folders.forEach(Cgroup::removeEmpty);
            }
        }
    }

    /// @throws EnvironmentException if this host does not let us set these limits
    static void checkLimits(CgroupHost host, String service, Limits limits) {
        Set<String> needed = new TreeSet<>();
        if (limits.memoryBytes() != null || limits.tcpMemoryBytes() != null) {
            needed.add("memory");
        }
        if (limits.cpus() != null) {
            needed.add("cpu");
        }
        if (limits.pids() != null) {
            needed.add("pids");
        }
        if (limits.tcpMemoryBytes() != null && host instanceof CgroupHost.V2) {
            throw new EnvironmentException(
                    "the limit tcpMemory of " + service + " cannot be set",
                    "cgroups of version 2 count the memory of TCP sockets like any other",
                    "use memory instead");
        }
        needed.removeAll(host.controllers());
        if (!needed.isEmpty()) {
            String why =
                    host instanceof CgroupHost.None none
                            ? none.why()
                            : "the cgroup tree does not offer the controllers " + needed;
            throw new EnvironmentException(
                    "the limits " + needed + " of " + service + " cannot be set",
                    why,
                    "run as root outside of a container, or in a cgroup that is delegated"
                            + " (systemd-run --user --scope -p Delegate=yes COMMAND), or leave the limits out");
        }
    }

    private static void makeRunFolder(CgroupHost host, RunLock run, Path folder)
            throws IOException {
        run.note(folder);
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            return; // another service of this run has created it
        }
        if (host instanceof CgroupHost.V2 v2 && !v2.controllers().isEmpty()) {
            String enabled =
                    v2.controllers().stream().map(c -> "+" + c).collect(Collectors.joining(" "));
            KernelFile.write(folder.resolve("cgroup.subtree_control"), enabled);
        }
    }

    /// A service that starts again before its last cgroup is removed gets a number.
    private static List<Path> folders(List<Path> runFolders, String service) {
        String base = service.replaceAll("[^A-Za-z0-9_-]", "_");
        for (int number = 1; number <= SAME_NAME_MAX; number++) {
            String name = number == 1 ? base : base + "-" + number;
            List<Path> folders = runFolders.stream().map(run -> run.resolve(name)).toList();
            if (folders.stream().noneMatch(Files::exists)) {
                return folders;
            }
        }
        throw new EnvironmentException(
                "the cgroup of " + service + " cannot be created",
                "there are " + SAME_NAME_MAX + " cgroups of that name",
                "start the run again");
    }

    /// @throws EnvironmentException if the kernel refuses a limit
    void limit(Limits limits) {
        boolean v2 = host instanceof CgroupHost.V2;
        if (limits.memoryBytes() != null) {
            limitMemory(v2, limits.memoryBytes(), limits.swapBytes());
        }
        if (limits.tcpMemoryBytes() != null) {
            set("memory", "memory.kmem.tcp.limit_in_bytes", limits.tcpMemoryBytes());
        }
        if (limits.cpus() != null) {
            long quotaMicros =
                    Math.max(QUOTA_MICROS_MIN, Math.round(limits.cpus() * PERIOD_MICROS));
            if (v2) {
                set("cpu", "cpu.max", quotaMicros + " " + PERIOD_MICROS);
            } else {
                set("cpu", "cpu.cfs_period_us", PERIOD_MICROS);
                set("cpu", "cpu.cfs_quota_us", quotaMicros);
            }
        }
        if (limits.pids() != null) {
            set("pids", "pids.max", limits.pids());
        }
    }

    /// Without swap if none is asked for: a service that swaps would get slow instead of running
    /// out of memory.
    private void limitMemory(boolean v2, long bytes, @Nullable Long swapBytes) {
        long swap = swapBytes == null ? 0 : swapBytes;
        if (v2) {
            limitMemory("memory.max", bytes, "memory.swap.max", swap);
        } else {
            limitMemory(
                    "memory.limit_in_bytes", bytes, "memory.memsw.limit_in_bytes", bytes + swap);
        }
    }

    /// A kernel that does not count swap does not have the second file. In version 1 it then moves
    /// nothing of the group to swap at this swappiness.
    private void limitMemory(String file, long bytes, String swapFile, long swapBytes) {
        set("memory", file, bytes);
        if (Files.exists(file("memory", swapFile))) {
            set("memory", swapFile, swapBytes);
        } else if (Files.exists(file("memory", "memory.swappiness"))) {
            set("memory", "memory.swappiness", 0);
        }
    }

    private void set(String controller, String file, long value) {
        set(controller, file, Long.toString(value));
    }

    private void set(String controller, String file, String value) {
        try {
            KernelFile.write(file(controller, file), value);
        } catch (IOException e) {
            throw new EnvironmentException(
                    "a limit of " + name + " cannot be set",
                    "the kernel refuses " + value + " for " + file + " (" + e.getMessage() + ")",
                    "choose one within the limits of this host and of the parent cgroup");
        }
    }

    private Path file(String controller, String name) {
        Path folder = folder(controller);
        if (folder == null) {
            throw new IllegalStateException("the controller " + controller + " was not checked");
        }
        return folder.resolve(name);
    }

    private @Nullable Path folder(String controller) {
        return switch (host) {
            case CgroupHost.V1 v1 -> {
                Path tree = v1.trees().get(controller);
                yield tree == null
                        ? null
                        : folders.stream().filter(f -> f.startsWith(tree)).findFirst().orElse(null);
            }
            case CgroupHost.V2 v2 ->
                    v2.controllers().contains(controller) ? folders.getFirst() : null;
            case CgroupHost.None none -> null;
        };
    }

    /// In version 2, the limits of the parents apply even without a controller.
    CgroupDirs dirs() {
        if (host instanceof CgroupHost.V2) {
            Path folder = folders.getFirst();
            return new CgroupDirs(2, folder, folder, folder);
        }
        return new CgroupDirs(1, folder("cpu"), folder("memory"), folder("pids"));
    }

    /// Moves a process into the cgroup. Its future children start there too.
    void add(long pid) {
        try {
            for (Path folder : folders) {
                KernelFile.write(folder.resolve(PROCS), Long.toString(pid));
            }
        } catch (IOException e) {
            throw failed("the service " + name + " cannot be moved into its cgroup", e);
        }
    }

    Set<Long> processes() {
        return processes(folders);
    }

    /// How many processes the kernel has killed at the memory limit.
    long oomKills() {
        Path folder = folder("memory");
        if (folder == null) {
            return 0;
        }
        String file = host instanceof CgroupHost.V2 ? "memory.events" : "memory.oom_control";
        try {
            return KernelFile.lines(folder.resolve(file)).stream()
                    .filter(line -> line.startsWith("oom_kill "))
                    .mapToLong(line -> Long.parseLong(line.substring("oom_kill ".length())))
                    .sum();
        } catch (IOException e) {
            return 0;
        }
    }

    /// Kills the remaining processes and removes the cgroup, and the run's folder if it is empty.
    @Override
    public void close() {
        try {
            folders.forEach(Cgroup::freeze);
            for (Path folder : folders) {
                removeTree(folder);
                removeEmpty(folder);
            }
        } catch (IOException e) {
            throw failed("the cgroup of " + name + " cannot be removed", e);
        }
    }

    /// Lets the processes in a folder and its subfolders start no more processes, and kills them
    /// all at once where the kernel can (`cgroup.kill`, Linux 5.14). Otherwise a program that forks
    /// all the time would be faster than we are.
    static void freeze(Path top) {
        try (Stream<Path> walked = Files.walk(top)) {
            walked.filter(Files::isDirectory)
                    .forEach(folder -> {
                        write(folder.resolve("pids.max"), "0");
                        write(folder.resolve("cgroup.kill"), "1");
                    });
        } catch (IOException | UncheckedIOException e) {
            // The folder was removed.
        }
    }

    private static void write(Path file, String text) {
        try {
            if (Files.exists(file)) {
                KernelFile.write(file, text);
            }
        } catch (IOException e) {
            // The processes are killed one by one.
        }
    }

    /// Kills the processes in a folder and its subfolders, and removes the folders.
    static void removeTree(Path top) throws IOException {
        List<Path> folders = new ArrayList<>();
        try (Stream<Path> walked = Files.walk(top)) {
            walked.filter(Files::isDirectory).forEach(folders::add);
        } catch (NoSuchFileException e) {
            return;
        }
        killAll(folders);
        for (Path folder : folders.reversed()) {
            // The kernel counts a killed process until it has released its resources.
            Wait.until(EMPTY_MAX, () -> removed(folder));
            Files.deleteIfExists(folder);
        }
    }

    /// Removes the folder of a service, and the run's folder unless other services of the run are
    /// in it.
    private static void removeEmpty(Path folder) {
        if (removed(folder)) {
            removed(Objects.requireNonNull(folder.getParent()));
        }
    }

    private static boolean removed(Path folder) {
        try {
            Files.deleteIfExists(folder);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void killAll(Collection<Path> folders) {
        Wait.until(
                EMPTY_MAX,
                () -> {
                    Set<Long> pids = processes(folders);
                    pids.forEach(pid ->
                            Processes.kill(
                                    pid,
                                    () -> isIn(pid, folders) || processes(folders).contains(pid)));
                    return pids.isEmpty();
                });
    }

    /// The kernel names the cgroups of a process relative to the root of each tree. Of a process in
    /// another cgroup namespace it names them in another way, so false means nothing.
    private static boolean isIn(long pid, Collection<Path> folders) {
        try {
            List<String> lines = KernelFile.lines(Path.of("/proc", Long.toString(pid), "cgroup"));
            return folders.stream()
                    .anyMatch(folder ->
                            lines.stream()
                                    .map(line -> line.substring(line.lastIndexOf(':') + 1))
                                    .anyMatch(path ->
                                            path.length() > 1
                                                    && folder.endsWith(path.substring(1))));
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    private static Set<Long> processes(Collection<Path> folders) {
        Set<Long> pids = new TreeSet<>();
        for (Path folder : folders) {
            try {
                KernelFile.lines(folder.resolve(PROCS)).forEach(l -> pids.add(Long.parseLong(l)));
            } catch (IOException e) {
                // The folder was removed, so it has no processes.
            }
        }
        return pids;
    }

    private static EnvironmentException failed(String what, IOException e) {
        return new EnvironmentException(
                what,
                e.toString(),
                "check /proc/self/cgroup, and that no other tool manages that part of the tree");
    }
}
