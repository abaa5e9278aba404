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

/// Where the kernel shares the CPU out between sessions and cgroups, and not between processes,
/// each service has a share of its own: it gets as large a one as the bench itself was given by its
/// script.
final class RaisedPriority {
    private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();
    private static final String SELF = "self";

    /// Of cgroup v1: the folder of a run of ours, and that of a service in it.
    private static final Pattern OWN_CGROUP =
            Pattern.compile("\\d+:cpu(?:,cpuacct)?:/(wallfinder-planted-[^/]+)(/[^/]+)");

    private static final Path CPU_CGROUPS = Path.of("/sys/fs/cgroup/cpu");
    private static final String SHARES_MAX = "262144";

    /// Processes of ours, and those that are not.
    private final Set<Long> own = new TreeSet<>();

    private final Set<Long> others = new TreeSet<>();

    private RaisedPriority() {}

    /// Goes on until the program ends.
    static void ofAllThatIsStarted() throws IOException {
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

    /// A session that begins later is a new one, so they are looked at again and again.
    private void raise(String nice) {
        while (true) {
            own.retainAll(look());
            own.forEach(pid -> raise(pid, nice));
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /// Looks at the processes that were not there the last time. To look at all of them again takes
    /// the CPU that is to be kept free.
    ///
    /// @return all that there are
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

    /// A child has a larger number than its parent, unless the numbers have begun anew.
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
            // It has ended meanwhile, which needs no CPU.
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
