package wallfinder.sandbox;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;

/// Starts a command that waits before its first instruction, so that limits can be set on it. It
/// waits as our user: only later does it become another one, whose limits we might not set. The
/// command cannot outlive us: the kernel kills it when the thread that started it ends
/// (`PR_SET_PDEATHSIG`). If that thread ended before this was set, the gate reads the end of its
/// input and exits. The command gets its own session, because a terminal sends Ctrl-C to all
/// foreground processes; the run itself stops the service after it has printed its results.
final class Gate {
    private static final String SCRIPT = "read -r go && exec \"$@\" </dev/null";

    /// Mounts other files over these two in a new mount namespace, as `ip netns exec` does.
    private static final String OVERLAY =
            "mount --bind \"$1\" /etc/resolv.conf && shift && exec \"$@\"";

    private static final String OVERLAY_BOTH =
            "mount --bind \"$1\" /etc/nsswitch.conf && shift && " + OVERLAY;

    private Gate() {}

    /// The command with its gate.
    ///
    /// @param namespace the `/proc` file of the network namespace to run in, or null for ours. The
    ///   new process enters it, not the thread that starts it: the JDK has a thread for each
    ///   process, which would keep the namespace alive for another minute.
    /// @param names the command's name lookup files, or null for those of the host
    static List<String> words(
            @Nullable Path namespace,
            @Nullable NameFiles names,
            ServiceUser user,
            List<String> command) {
        List<String> words = new ArrayList<>();
        words.addAll(List.of(tool("setpriv"), "--pdeathsig", "KILL", "--"));
        if (namespace != null) {
            words.addAll(List.of(tool("nsenter"), "--net=" + namespace, "--"));
        }
        if (names != null) {
            boolean both = names.order() != null;
            words.addAll(List.of(tool("unshare"), "--mount", "--"));
            words.addAll(List.of(tool("sh"), "-c", both ? OVERLAY_BOTH : OVERLAY, "names"));
            if (names.order() != null) {
                words.add(names.order().toString());
            }
            words.add(names.servers().toString());
        }
        words.addAll(List.of(tool("setsid"), tool("sh"), "-c", SCRIPT, "gate"));
        words.addAll(user.words());
        words.addAll(command);
        return words;
    }

    /// Lets the command run.
    static void open(Process process) {
        try (OutputStream in = process.getOutputStream()) {
            in.write("go\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // The command has already ended. Its exit status shows why.
        }
    }

    static String tool(String name) {
        String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        for (String folder : (path + ":/usr/sbin:/usr/bin:/sbin:/bin").split(":")) {
            Path file = Path.of(folder, name);
            if (Files.isExecutable(file) && Files.isRegularFile(file)) {
                return file.toString();
            }
        }
        throw new EnvironmentException(
                "no service can be started",
                "the program " + name + " is not installed",
                "install the package util-linux (setpriv, nsenter, unshare, setsid) and a POSIX shell (sh)");
    }
}
