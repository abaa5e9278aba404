package wallfinder.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// With autogroups the kernel shares the CPU between sessions and cgroups instead of processes.
/// This gives each service the same priority that the script gave the bench.
final class RaisedPriority {
    private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();
    private static final String SELF = "self";

    /// In cgroup v1: the folder of one of our runs, and the folder of a service in it.
    private static final Pattern OWN_CGROUP =
            Pattern.compile("\\d+:cpu(?:,cpuacct)?:/(wallfinder-planted-[^/]+)(/[^/]+)");

    private static final Path CPU_CGROUPS = Path.of("/sys/fs/cgroup/cpu");
    private static final String SHARES_MAX = "262144";

    /// Processes that this bench started, directly or indirectly.
    private final Set<Long> own = new TreeSet<>();

    private final Set<Long> others = new TreeSet<>();

    private RaisedPriority() {}

    /// Starts a thread that runs until the program ends.
    static void raiseChildren() throws IOException {
        if (!Files.exists(autogroup(SELF))) {
            return;
        }
        String nice = Files.readString(autogroup(SELF)).strip().replaceAll(".* ", "");
        if (nice.startsWith("-")) {
            Thread.ofPlatform()
                    .daemon()
                    .name("priority")
                    .start(() -> new RaisedPriority().raise(nice));
        }
    }

    /// New sessions may begin at any time, so this looks again and again.
    private void raise(String nice) {
        while (true) {
            own.retainAll(look());
            own.forEach(pid -> raise(pid, nice));
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /// Inspects only processes that are new since the last look, to save CPU.
    ///
    /// @return all processes
    private Set<Long> look() {
        Set<Long> there = new TreeSet<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            processes
                    .map(process -> process.getFileName().toString())
                    .filter(name -> Character.isDigit(name.charAt(0)))
                    .forEach(name -> there.add(Long.valueOf(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        others.retainAll(there);
        for (long pid : there) {
            if (!own.contains(pid) && !others.contains(pid)) {
                (isOurs(pid) ? own : others).add(pid);
            }
        }
        return there;
    }

    /// A child has a larger pid than its parent, unless pids have wrapped around.
    private boolean isOurs(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(ProcessHandle::parent)
                .map(ProcessHandle::pid)
                .filter(parent -> parent == ProcessHandle.current().pid() || own.contains(parent))
                .isPresent();
    }

    private static void raise(long pid, String nice) {
        Path autogroup = autogroup(Long.toString(pid));
        try {
            if (!Files.readString(autogroup).strip().endsWith(nice)) {
                Files.writeString(autogroup, nice);
            }
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "cgroup"))) {
                Matcher own = OWN_CGROUP.matcher(line);
                if (own.matches()) {
                    share(CPU_CGROUPS.resolve(own.group(1)));
                    share(CPU_CGROUPS.resolve(own.group(1) + own.group(2)));
                }
            }
        } catch (IOException ended) {
            // The process has ended.
        }
    }

    private static void share(Path cgroup) throws IOException {
        Path shares = cgroup.resolve("cpu.shares");
        if (Files.exists(shares) && !Files.readString(shares).strip().equals(SHARES_MAX)) {
            Files.writeString(shares, SHARES_MAX);
        }
    }

    private static Path autogroup(String process) {
        return Path.of("/proc", process, "autogroup");
    }
}
