package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.ServiceSpec;
import wallfinder.linux.CgroupDirs;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.SyscallException;

/// A running service with all its descendants.
public final class Service implements AutoCloseable {
    /// What programs write if a right is missing (`EACCES`, `EPERM`).
    private static final Pattern FORBIDDEN =
            Pattern.compile("permission denied|not permitted", Pattern.CASE_INSENSITIVE);

    private static final Duration TERM_MAX = Duration.ofSeconds(10);
    private static final Duration KILL_MAX = Duration.ofSeconds(10);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(1);
    private static final int LOG_LINES_SHOWN = 15;
    private static final long POLL_MILLIS = 20;
    private static final int SIGNALLED = 128;

    /// The exit code of a shell that does not find the program.
    private static final int NOT_FOUND = 127;

    private final ServiceSpec spec;
    private final List<String> command;
    private final Process process;
    private final ServiceLog log;
    private final LongLog longLog;
    private final String mark;
    private final @Nullable Cgroup cgroup;
    private boolean stopped;

    Service(
            ServiceSpec spec,
            List<String> command,
            Process process,
            ServiceLog log,
            String mark,
            @Nullable Cgroup cgroup) {
        this.spec = spec;
        this.command = command;
        this.process = process;
        this.log = log;
        this.longLog = new LongLog(log);
        this.mark = mark;
        this.cgroup = cgroup;
    }

    public String name() {
        return spec.name();
    }

    /// The command line, in words.
    public List<String> command() {
        return command;
    }

    public long pid() {
        return process.pid();
    }

    /// The live processes: its own and all descendants.
    public Set<Long> pids() {
        if (cgroup != null) {
            return cgroup.processes();
        }
        Set<Long> pids = new LinkedHashSet<>();
        if (process.isAlive()) {
            pids.add(pid());
        }
        process.descendants().forEach(child -> pids.add(child.pid()));
        return pids;
    }

    public boolean alive() {
        return process.isAlive();
    }

    /// The exit code, or 128 plus the number of the signal that ended it; empty while it runs.
    public Optional<Integer> exitStatus() {
        return alive() ? Optional.empty() : Optional.of(process.exitValue());
    }

    /// The folders of its cgroup, if it has one.
    public Optional<CgroupDirs> cgroup() {
        return Optional.ofNullable(cgroup).map(Cgroup::dirs);
    }

    /// The file with its output; a long log keeps only its beginning and its end.
    public Path log() {
        return log.path();
    }

    /// The offset in that file at which the output of this start of the service begins.
    public long logStart() {
        return log.start();
    }

    ServiceLog output() {
        return log;
    }

    /// The last lines of its output since this start.
    public List<String> lastLines(int count) {
        return log.lastLines(count);
    }

    /// Bounds the log on the calling thread, until the service ends.
    void keepLogShort() {
        try {
            while (!process.waitFor(LOG_INTERVAL)) {
                longLog.cut();
            }
        } catch (IOException | SyscallException e) {
            // The disk cannot do it, or the log is gone. The run continues with a longer log.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Waits until the service is ready. Must be called on a thread in the service's namespace.
    ///
    /// @param stop polled; true ends the waiting
    /// @throws CancellationException if `stop` ended the waiting
    void awaitReady(ReadinessProbe probe, Duration bound, BooleanSupplier stop)
            throws InterruptedException {
        long end = System.nanoTime() + bound.toNanos();
        while (!probe.isReady()) {
            if (stop.getAsBoolean()) {
                throw new CancellationException("the start of " + name() + " was stopped");
            }
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw failed("ended before it was ready", "it " + ending());
            }
            if (System.nanoTime() - end > 0) {
                throw failed(
                        "did not get ready within " + bound.toMillis() / 1000.0 + " s",
                        "Wallfinder waited until %s; the last attempt: %s"
                                .formatted(probe.condition(), probe.lastAnswer()));
            }
        }
        if (!process.isAlive()) {
            throw failed("ended as it got ready", "it " + ending());
        }
    }

    private EnvironmentException failed(String what, String why) {
        List<String> lines = lastLines(LOG_LINES_SHOWN);
        String output =
                lines.isEmpty()
                        ? "; it wrote nothing"
                        : lines.stream()
                                .map(line -> "\n    " + line)
                                .collect(Collectors.joining("", "; its last lines were", ""));
        return new EnvironmentException(
                "the service " + name() + " " + what,
                why + output + rights(output),
                "%s; its command line was%n    %s".formatted(todo(), String.join(" ", command)));
    }

    private String rights(String output) {
        return FORBIDDEN.matcher(output).find()
                ? "\n    (it ran as %s; if root runs wallfinder, `user: root` gives it all rights)"
                        .formatted(ServiceUser.of(spec.user()).text())
                : "";
    }

    private String todo() {
        return exitStatus().filter(status -> status == NOT_FOUND).isPresent()
                ? "install the program " + command.getFirst() + ", or correct its command"
                : "read its log, %s, and correct its command, `ready` or `readyWithin`"
                        .formatted(log.path());
    }

    private String ending() {
        int status = process.exitValue();
        if (cgroup != null && cgroup.oomKills() > 0) {
            return "was killed by the kernel at its memory limit (exit code " + status + ")";
        }
        return status > SIGNALLED
                ? "was ended by signal " + (status - SIGNALLED) + " (exit code " + status + ")"
                : "ended with exit code " + status;
    }

    /// Sends SIGTERM, waits, kills what is left of the process tree, and removes the cgroup. May be
    /// called again.
    public synchronized void stop() {
        if (stopped) {
            return;
        }
        stopped = true;
        List<ProcessHandle> tree = process.descendants().toList();
        process.destroy();
        Wait.until(TERM_MAX, () -> !process.isAlive());
        process.destroyForcibly();
        if (cgroup != null) {
            cgroup.close();
        } else {
            killWithoutCgroup(tree);
        }
        Wait.until(KILL_MAX, () -> !process.isAlive());
        try {
            longLog.close();
        } catch (IOException | SyscallException e) {
            // As in keepLogShort.
        }
    }

    private void killWithoutCgroup(List<ProcessHandle> tree) {
        tree.forEach(ProcessHandle::destroyForcibly);
        try {
            Leftovers.killMarked(mark);
        } catch (IOException e) {
            throw new EnvironmentException(
                    "processes that the service " + name() + " left behind cannot be found",
                    e.toString(),
                    "mount /proc");
        }
    }

    @Override
    public void close() {
        stop();
    }
}
