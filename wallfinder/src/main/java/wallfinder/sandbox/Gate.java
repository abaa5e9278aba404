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

/// Starts a command that waits before its first instruction, so that its limits can be set on it,
/// and that cannot outlive us: the kernel kills it when the thread that started it ends
/// (`PR_SET_PDEATHSIG`), and if that thread was gone before this was set, the gate reads the end of
/// its input and exits. It gets a session of its own, since a terminal's Ctrl-C goes to all
/// processes of the foreground: the run hears it and stops the service when it has told its
/// results.
final class Gate {
    private static final String SCRIPT = "read -r go && exec \"$@\" </dev/null";

    /// As `ip netns exec` does it: in a mount namespace of its own, other files lie over these two.
    private static final String OVERLAY =
            "mount --bind \"$1\" /etc/resolv.conf && shift && exec \"$@\"";

    private static final String OVERLAY_BOTH =
            "mount --bind \"$1\" /etc/nsswitch.conf && shift && " + OVERLAY;

    private Gate() {}

    /// The command with its gate.
    ///
    /// @param namespace the `/proc` file of the network namespace to run in, or null for ours. It
    ///   is entered by the new process, not by the thread that starts it: the JDK keeps a thread of
    ///   its own for each process, which would hold the namespace for a minute.
    ///
    /// @param names where it is to look names up, or null where all do
    static List<String> words(
            @Nullable Path namespace, @Nullable NameFiles names, List<String> command) {
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
        words.addAll(command);
        return words;
    }

    /// Lets the command run.
    static void open(Process process) {
        try (OutputStream in = process.getOutputStream()) {
            in.write("go\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // It has ended already: whoever waits for it will see how.
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
                "the program " + name + " is not there",
                "install the package util-linux (setpriv, nsenter, unshare, setsid) and a POSIX shell (sh)");
    }
}
