package wallfinder.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    private RaisedPriority() {}

    /// Goes on until the program ends.
    static void ofAllThatIsStarted() throws IOException {
        if (!Files.exists(autogroup(SELF))) {
            return;
        }
        String nice = Files.readString(autogroup(SELF)).strip().replaceAll(".* ", "");
        if (nice.startsWith("-")) {
            Thread.ofPlatform().daemon().name("priority").start(() -> raise(nice));
        }
    }

    /// A session that begins later is a new one, so they are looked at again and again.
    private static void raise(String nice) {
        while (true) {
            ProcessHandle.current().descendants().forEach(process -> raise(process.pid(), nice));
            LockSupport.parkNanos(LOOK_NANOS);
        }
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
