package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.KernelFile;
import wallfinder.linux.Namespaces;
import wallfinder.linux.Processes;
import wallfinder.linux.SyscallException;

/// The network namespace and the CPUs of a process that we did not start. It may run in a
/// container. Wallfinder changes nothing there.
public final class Residence implements AutoCloseable {
    private static final String NET = "ns/net";

    private final long pid;
    private final boolean ownNetwork;
    private final int namespace;

    private Residence(long pid, boolean ownNetwork, int namespace) {
        this.pid = pid;
        this.ownNetwork = ownNetwork;
        this.namespace = namespace;
    }

    /// @throws UsageException if there is no such process
    /// @throws EnvironmentException if we may not inspect it
    public static Residence of(long pid) {
        Path proc = Path.of("/proc/" + pid);
        if (pid < 1 || !Files.isDirectory(proc) || ended(proc)) {
            throw new UsageException(
                    "there is no process " + pid,
                    pid < 1 ? "PIDs begin at 1" : "it has ended, or the PID is wrong" + hidden(),
                    "find it with ps -e or ss -ltnp, or name its port with --port");
        }
        try {
            Path its = Files.readSymbolicLink(proc.resolve(NET));
            boolean own = !its.equals(Files.readSymbolicLink(Path.of("/proc/self").resolve(NET)));
            return new Residence(pid, own, Namespaces.openNetwork(pid));
        } catch (AccessDeniedException | SyscallException e) {
            throw new EnvironmentException(
                    "process " + pid + " cannot be watched",
                    "it belongs to another user (" + e.getMessage() + ")",
                    "run as root, or as the user of the service");
        } catch (IOException e) {
            throw new EnvironmentException(
                    "process " + pid + " cannot be watched",
                    String.valueOf(e.getMessage()),
                    "check that it still runs, and that /proc is mounted");
        }
    }

    private static String hidden() {
        return Processes.othersListed()
                ? ""
                : ", or /proc hides it from this user (hidepid), but not from root";
    }

    private static boolean ended(Path proc) {
        try {
            return KernelFile.lines(proc.resolve("status")).stream()
                    .anyMatch(line -> line.matches("State:\\s+[ZX].*"));
        } catch (IOException e) {
            return true;
        }
    }

    /// Whether its network namespace differs from ours. Our own traffic then does not change its
    /// counters.
    public boolean ownNetwork() {
        return ownNetwork;
    }

    /// Its folder of network counters, readable from any thread.
    public Path procNet() {
        return Path.of("/proc/" + pid + "/net");
    }

    /// The kernel settings in force in its namespace.
    public SortedMap<String, String> sysctls() {
        return inside(() -> Sysctls.inForce(Map.of()));
    }

    /// Its short name, such as `nginx`.
    public String name() {
        try {
            return KernelFile.read(Path.of("/proc/" + pid + "/comm"))
                    .replaceAll("[^A-Za-z0-9._-]+", "_");
        } catch (IOException e) {
            return "process";
        }
    }

    /// Runs work on a new thread in its network namespace and waits for the result.
    ///
    /// @throws EnvironmentException if this user may not enter it
    public <T extends @Nullable Object> T inside(Callable<T> work) {
        return NetworkNamespace.onFreshThread(() -> {
            if (ownNetwork) {
                enter();
            }
            return work.call();
        });
    }

    private void enter() {
        try {
            Namespaces.enterNetwork(namespace);
        } catch (SyscallException e) {
            throw new EnvironmentException(
                    "the network namespace of process " + pid + " cannot be entered",
                    String.valueOf(e.getMessage()),
                    "run as root on the host that the container runs on");
        }
    }

    @Override
    public void close() {
        Namespaces.close(namespace);
    }
}
