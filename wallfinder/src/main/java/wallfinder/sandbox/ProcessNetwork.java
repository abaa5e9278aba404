package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.Namespaces;
import wallfinder.linux.SyscallException;

/// The network namespace of any process of this host, such as one in a container.
public final class ProcessNetwork {
    private ProcessNetwork() {}

    /// Runs work in it: on the calling thread where that is there already, else on a thread of its
    /// own.
    ///
    /// @throws EnvironmentException if it may not be entered, or the process is gone
    public static <T extends @Nullable Object> T inside(long pid, Callable<T> work) {
        if (same(pid)) {
            return NetworkNamespace.onFreshThread(work);
        }
        return NetworkNamespace.onFreshThread(() -> {
            enter(pid);
            return work.call();
        });
    }

    /// Whether it is the calling thread's own. Who may not look cannot enter either.
    public static boolean same(long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/net"))
                    .equals(Files.readSymbolicLink(Path.of("/proc/thread-self/ns/net")));
        } catch (IOException e) {
            return Files.isDirectory(Path.of("/proc/" + pid));
        }
    }

    private static void enter(long pid) {
        try {
            int descriptor = Namespaces.openNetwork(pid);
            try {
                Namespaces.enterNetwork(descriptor);
            } finally {
                Namespaces.close(descriptor);
            }
        } catch (SyscallException e) {
            throw new EnvironmentException(
                    "the network of process " + pid + " cannot be looked at",
                    String.valueOf(e.getMessage()),
                    "run as root, and check that the process runs");
        }
    }
}
