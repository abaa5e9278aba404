package wallfinder.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import wallfinder.linux.EnvironmentException;

/// The user that a service runs as. It has no capability and can get none: neither a set-user-ID
/// program nor one with capabilities of its own gives it more rights (`no_new_privs`).
///
/// @param user its number
/// @param group that of its own group
record ServiceUser(long user, long group) {
    private static final long ROOT = 0;
    private static final long SECONDS_MAX = 10;

    /// @param name its name or number
    /// @throws EnvironmentException if there is no such user, or only root could become it
    static ServiceUser of(String name) {
        ServiceUser asked = new ServiceUser(id("-u", name), id("-g", name));
        long own = id("-u");
        if (own != ROOT && own != asked.user) {
            throw new EnvironmentException(
                    "no service can run as the user " + name,
                    "only root can start a program of another user",
                    "run wallfinder as root, or leave `user` out");
        }
        return asked;
    }

    /// The words before a command that runs as this user. The kernel forgets the signal at the end
    /// of the parent when the user changes, so it is set again.
    List<String> words() {
        List<String> rights = List.of("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all");
        List<String> identity = List.of("--reuid=" + user, "--regid=" + group, "--clear-groups");
        List<String> words = new ArrayList<>(List.of(Gate.tool("setpriv"), "--pdeathsig", "KILL"));
        if (id("-u") == ROOT) {
            words.addAll(identity);
            words.addAll(rights);
        } else {
            words.add("--no-new-privs");
        }
        words.add("--");
        return List.copyOf(words);
    }

    private static long id(String... arguments) {
        List<String> words = new ArrayList<>(List.of(Gate.tool("id")));
        words.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(words)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            byte[] out = process.getInputStream().readAllBytes();
            if (process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) && process.exitValue() == 0) {
                return Long.parseLong(new String(out, StandardCharsets.US_ASCII).strip());
            }
        } catch (IOException e) {
            // As if there were no such user.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String name = arguments[arguments.length - 1];
        throw new EnvironmentException(
                "no service can run as the user " + name,
                "there is no such user on this host",
                "create it, or name another, such as nobody");
    }
}
