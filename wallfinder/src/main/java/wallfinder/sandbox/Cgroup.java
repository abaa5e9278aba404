package wallfinder.sandbox;

import java.io.IOException;
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
/// or in the one tree (version 2). It holds the limits, and it finds every descendant of the
/// service.
final class Cgroup implements AutoCloseable {
    private static final Duration EMPTY_MAX = Duration.ofSeconds(20);
    private static final long PERIOD_MICROS = 100_000;
    private static final long QUOTA_MICROS_MIN = 1_000; // the kernel's own bound
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

    /// Makes the cgroup of a service and sets its limits.
    ///
    /// @return null where the host lets us make none and no limit needs one
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
        try {
            for (Path folder : runFolders) {
                makeRunFolder(host, run, folder);
            }
            Cgroup cgroup = make(host, runFolders, service);
            cgroup.limit(limits);
            return cgroup;
        } catch (IOException e) {
            throw failed("the cgroup of " + service + " cannot be made", e);
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
                    "version 2 of the cgroups counts TCP sockets as memory like any other",
                    "use memory instead");
        }
        needed.removeAll(host.controllers());
        if (!needed.isEmpty()) {
            String why =
                    host instanceof CgroupHost.None none
                            ? none.why()
                            : "the controllers " + needed + " are not to be had in the cgroup tree";
            throw new EnvironmentException(
                    "the limits " + needed + " of " + service + " cannot be set",
                    why,
                    "run as root outside of a container, or in a cgroup that is delegated"
                            + " (systemd-run --scope -p Delegate=yes), or leave the limits out");
        }
    }

    private static void makeRunFolder(CgroupHost host, RunLock run, Path folder)
            throws IOException {
        run.note(folder);
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException e) {
            return; // another service of this run has made it
        }
        if (host instanceof CgroupHost.V2 v2 && !v2.controllers().isEmpty()) {
            String enabled =
                    v2.controllers().stream().map(c -> "+" + c).collect(Collectors.joining(" "));
            KernelFile.write(folder.resolve("cgroup.subtree_control"), enabled);
        }
    }

    /// A service that is started anew while its last cgroup is still there gets a number.
    private static Cgroup make(CgroupHost host, List<Path> runFolders, String service)
            throws IOException {
        String base = service.replaceAll("[^A-Za-z0-9_-]", "_");
        for (int number = 1; number <= SAME_NAME_MAX; number++) {
            String name = number == 1 ? base : base + "-" + number;
            List<Path> folders = runFolders.stream().map(run -> run.resolve(name)).toList();
            if (folders.stream().noneMatch(Files::exists)) {
                for (Path folder : folders) {
                    Files.createDirectory(folder);
                }
                return new Cgroup(host, service, folders);
            }
        }
        throw new IOException("there are " + SAME_NAME_MAX + " cgroups of that name");
    }

    void limit(Limits limits) throws IOException {
        boolean v2 = host instanceof CgroupHost.V2;
        if (limits.memoryBytes() != null) {
            limitMemory(v2, Long.toString(limits.memoryBytes()));
        }
        if (limits.tcpMemoryBytes() != null) {
            KernelFile.write(
                    file("memory", "memory.kmem.tcp.limit_in_bytes"),
                    Long.toString(limits.tcpMemoryBytes()));
        }
        if (limits.cpus() != null) {
            long quotaMicros =
                    Math.max(QUOTA_MICROS_MIN, Math.round(limits.cpus() * PERIOD_MICROS));
            if (v2) {
                KernelFile.write(file("cpu", "cpu.max"), quotaMicros + " " + PERIOD_MICROS);
            } else {
                KernelFile.write(file("cpu", "cpu.cfs_period_us"), Long.toString(PERIOD_MICROS));
                KernelFile.write(file("cpu", "cpu.cfs_quota_us"), Long.toString(quotaMicros));
            }
        }
        if (limits.pids() != null) {
            KernelFile.write(file("pids", "pids.max"), Long.toString(limits.pids()));
        }
    }

    /// Memory without swap: a service that swaps would be slow instead of out of memory.
    private void limitMemory(boolean v2, String bytes) throws IOException {
        if (v2) {
            KernelFile.write(file("memory", "memory.max"), bytes);
            if (Files.exists(file("memory", "memory.swap.max"))) {
                KernelFile.write(file("memory", "memory.swap.max"), "0");
            }
        } else {
            KernelFile.write(file("memory", "memory.limit_in_bytes"), bytes);
            if (Files.exists(file("memory", "memory.memsw.limit_in_bytes"))) {
                KernelFile.write(file("memory", "memory.memsw.limit_in_bytes"), bytes);
            }
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

    /// Where the sampling reads this cgroup.
    CgroupDirs dirs() {
        int version = host instanceof CgroupHost.V2 ? 2 : 1;
        return new CgroupDirs(version, folder("cpu"), folder("memory"), folder("pids"));
    }

    /// Moves a process in; the children it makes later are in it too.
    void add(long pid) {
        try {
            for (Path folder : folders) {
                KernelFile.write(folder.resolve(PROCS), Long.toString(pid));
            }
        } catch (IOException e) {
            throw failed("the service " + name + " cannot be moved into its cgroup", e);
        }
    }

    /// The processes in it, by number.
    Set<Long> processes() {
        return processes(folders);
    }

    /// How often the kernel has killed a process here for memory.
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

    /// Kills what is left in it and removes it, and the run's folder if that was the last one.
    @Override
    public void close() {
        try {
            for (Path folder : folders) {
                removeTree(folder);
                removeRunFolder(Objects.requireNonNull(folder.getParent()));
            }
        } catch (IOException e) {
            throw failed("the cgroup of " + name + " cannot be removed", e);
        }
    }

    private static void removeRunFolder(Path folder) {
        try {
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // Other services of the run are still in it.
        }
    }

    /// Kills the processes in a folder and in all below it, and removes them.
    static void removeTree(Path top) throws IOException {
        List<Path> folders = new ArrayList<>();
        try (Stream<Path> walked = Files.walk(top)) {
            walked.filter(Files::isDirectory).forEach(folders::add);
        } catch (NoSuchFileException e) {
            return;
        }
        killAll(folders);
        for (Path folder : folders.reversed()) {
            // A process that was killed counts until the kernel has taken it apart.
            Wait.until(EMPTY_MAX, () -> removed(folder));
            Files.deleteIfExists(folder);
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
                    pids.forEach(
                            pid -> Processes.kill(pid, () -> processes(folders).contains(pid)));
                    return pids.isEmpty();
                });
    }

    private static Set<Long> processes(Collection<Path> folders) {
        Set<Long> pids = new TreeSet<>();
        for (Path folder : folders) {
            try {
                KernelFile.lines(folder.resolve(PROCS)).forEach(l -> pids.add(Long.parseLong(l)));
            } catch (IOException e) {
                // The folder has gone, and so have its processes.
            }
        }
        return pids;
    }

    private static EnvironmentException failed(String what, IOException e) {
        return new EnvironmentException(
                what,
                e.toString(),
                "see /proc/self/cgroup, and that no other tool manages that part of the tree");
    }
}
