package wallfinder.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.KernelFile;

/// The user that a service runs as, and its rights. Only root has rights to give away:
///
/// - A service whose experiment names a user runs as that user. It has no capability and can get
///   none: neither a set-user-ID program nor one with capabilities of its own gives it more rights
///   (`no_new_privs`). If the user is root, it has all rights.
/// - Otherwise, if somebody called sudo, the service runs as that user, in the same way.
/// - Otherwise it runs as root, but with few capabilities.
///
/// In a user namespace with one user, root is only another name of that user.
///
/// @param words the words before a command that runs in this way
/// @param text such as `alice, without capabilities`
public record ServiceUser(List<String> words, String text) {
    private static final long ROOT = 0;
    private static final long SECONDS_MAX = 10;
    private static final String NO_NEW = "--no-new-privs";
    private static final Path LAST = Path.of("/proc/sys/kernel/cap_last_cap");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    /// What a program of root needs to read the files of others, to become another user and to
    /// listen on low ports. With these it cannot load modules, mount, trace or reboot.
    private static final List<String> FEW =
            List.of(
                    "chown",
                    "dac_override",
                    "fowner",
                    "fsetid",
                    "kill",
                    "setgid",
                    "setuid",
                    "setpcap",
                    "setfcap",
                    "net_bind_service",
                    "net_raw",
                    "sys_chroot",
                    "audit_write");

    /// This one concerns only the network that a program is in.
    private static final String NETWORK = "net_admin";

    /// The bit of the capability to give up capabilities for good.
    private static final int SETPCAP = 8;

    /// @param asked the name or number in the experiment, or null
    /// @param ownNetwork whether the service is in a network namespace of the run
    /// @throws EnvironmentException if there is no such user, or only root could become it
    static ServiceUser of(@Nullable String asked, boolean ownNetwork) {
        return of(asked, ownNetwork, System.getenv());
    }

    /// In a network of its own.
    public static ServiceUser of(@Nullable String asked) {
        return of(asked, true);
    }

    static ServiceUser of(
            @Nullable String asked, boolean ownNetwork, Map<String, String> environment) {
        if (UserNamespace.ofOneUser()) {
            long own = UserNamespace.hostUid();
            return asked == null
                    ? new ServiceUser(setpriv(few(ownNetwork)), name(own))
                    : ofOwn(asked, own);
        }
        long own = id("-u");
        if (own != ROOT) {
            return asked == null
                    ? new ServiceUser(List.of(), System.getProperty("user.name"))
                    : ofOwn(asked, own);
        }
        String caller = environment.getOrDefault("SUDO_UID", "");
        if (asked != null) {
            return id("-u", asked) == ROOT
                    ? new ServiceUser(List.of(), "root, with all rights")
                    : another(asked, asked);
        }
        return NUMBER.matcher(caller).matches() && Long.parseLong(caller) != ROOT
                ? another(caller, environment.getOrDefault("SUDO_USER", caller))
                : new ServiceUser(setpriv(few(ownNetwork)), "root, with few capabilities");
    }

    private static ServiceUser ofOwn(String asked, long own) {
        if (id("-u", asked) != own) {
            throw new EnvironmentException(
                    "no service can run as the user " + asked,
                    "only root can start a program of another user",
                    "run wallfinder as root, or leave `user` out");
        }
        return new ServiceUser(setpriv(only("")), asked + ", without capabilities");
    }

    private static ServiceUser another(String user, String name) {
        List<String> words = new ArrayList<>();
        words.add("--reuid=" + id("-u", user));
        words.add("--regid=" + id("-g", user));
        words.add("--clear-groups");
        words.addAll(only(""));
        return new ServiceUser(setpriv(words), name + ", without capabilities");
    }

    private static List<String> few(boolean ownNetwork) {
        String kept = FEW.stream().map(name -> ",+" + name).collect(Collectors.joining());
        return only(kept + (ownNetwork ? ",+" + NETWORK : ""));
    }

    /// @param kept capabilities, each such as `,+chown`
    private static List<String> only(String kept) {
        return mayGiveUp()
                ? List.of(NO_NEW, "--bounding-set=" + none() + kept, "--inh-caps=" + none())
                : List.of(NO_NEW);
    }

    /// Names each capability of this kernel by its number. A setpriv from before this kernel may
    /// refuse `-all`, because it does not know them all.
    private static String none() {
        try {
            int last = Integer.parseInt(KernelFile.read(LAST));
            return IntStream.rangeClosed(0, last)
                    .mapToObj(number -> "-cap_" + number)
                    .collect(Collectors.joining(","));
        } catch (IOException e) {
            return "-all";
        }
    }

    /// A user, and root in a container, may lack this right. Their own capabilities are few
    /// already.
    private static boolean mayGiveUp() {
        try {
            String status = KernelFile.read(Path.of("/proc/self/status"));
            return status.lines()
                    .filter(line -> line.startsWith("CapEff:"))
                    .map(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                    .anyMatch(effective -> (effective >> SETPCAP & 1) != 0);
        } catch (IOException e) {
            return false;
        }
    }

    /// The kernel forgets the signal at the end of the parent when the user changes, so it is set
    /// again.
    private static List<String> setpriv(List<String> rights) {
        List<String> words = new ArrayList<>(List.of(Gate.tool("setpriv"), "--pdeathsig", "KILL"));
        words.addAll(rights);
        words.add("--");
        return List.copyOf(words);
    }

    /// The name of a user, or the number if this host knows no name.
    private static String name(long uid) {
        String number = Long.toString(uid);
        return ask("-un", number).orElse(number);
    }

    private static long id(String... arguments) {
        return ask(arguments)
                .map(Long::parseLong)
                .orElseThrow(() ->
                        new EnvironmentException(
                                "no service can run as the user " + arguments[arguments.length - 1],
                                "there is no such user on this host",
                                "create it, or name another, such as nobody"));
    }

    /// The answer of `id`, or empty if there is no such user.
    private static Optional<String> ask(String... arguments) {
        List<String> words = new ArrayList<>(List.of(Gate.tool("id")));
        words.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(words)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            byte[] out = process.getInputStream().readAllBytes();
            if (process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) && process.exitValue() == 0) {
                return Optional.of(new String(out, StandardCharsets.UTF_8).strip());
            }
        } catch (IOException e) {
            // As if there were no such user.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }
}
