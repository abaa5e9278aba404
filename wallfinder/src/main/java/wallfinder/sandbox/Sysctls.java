package wallfinder.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import wallfinder.experiment.Nearest;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;
import wallfinder.linux.KernelFile;
import wallfinder.linux.KernelWrite;
import wallfinder.linux.SyscallException;

/// The kernel settings of a network namespace. `/proc/sys/net` shows the settings of the calling
/// thread's namespace, so all methods must be called inside.
final class Sysctls {
    private static final Path ROOT = Path.of("/proc/sys");
    private static final String SOMAXCONN = "net.core.somaxconn";
    private static final String WRITABLE =
            "run where /proc/sys is writable, such as outside a container";

    /// Walls depend on these, so they are recorded even if the experiment does not set them.
    private static final List<String> ALWAYS =
            List.of(
                    SOMAXCONN,
                    "net.ipv4.ip_local_port_range",
                    "net.ipv4.tcp_congestion_control",
                    "net.ipv4.tcp_fin_timeout",
                    "net.ipv4.tcp_abort_on_overflow",
                    "net.ipv4.tcp_max_syn_backlog",
                    "net.ipv4.tcp_max_tw_buckets",
                    "net.ipv4.tcp_syncookies",
                    "net.ipv4.tcp_rmem",
                    "net.ipv4.tcp_tw_reuse",
                    "net.ipv4.tcp_wmem",
                    "net.netfilter.nf_conntrack_max");

    private Sysctls() {}

    static Path path(String name) {
        return ROOT.resolve(name.replace('.', '/'));
    }

    static boolean exists(String name) {
        return name.matches("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)+")
                && Files.isRegularFile(path(name));
    }

    /// Whether this kernel keeps a name from us. In a network namespace that belongs to a user,
    /// older kernels show nothing in `net.core`.
    static boolean hidden(String name) {
        return name.startsWith("net.core.") && UserNamespace.separate() && !exists(SOMAXCONN);
    }

    /// Refuses a sysctl of the host that a namespace does not have.
    static void checkInNamespace(String name) {
        if (!exists(name) || !name.startsWith("net.")) {
            throw new EnvironmentException(
                    "the sysctl " + name + " cannot be set in the sandbox",
                    "it belongs to the whole host, which Wallfinder never changes",
                    "set it on the host yourself, or leave it out of the experiment");
        }
    }

    /// The error for a name that this kernel does not have.
    static UsageException unknown(String name) {
        return new UsageException(
                "there is no sysctl " + name,
                "this kernel does not know the name",
                Nearest.to(name, names())
                        .map(nearest -> "Did you mean '" + nearest + "'?")
                        .orElse("Leave it out: /proc/sys shows no names here"));
    }

    /// Sets a value and reads it back.
    static void write(String name, String value) {
        try {
            KernelWrite.write(path(name), value);
        } catch (SyscallException e) {
            throw refused(name, value, e);
        }
        String inForce = read(name);
        if (!inForce.equals(normal(value))) {
            throw new UsageException(
                    "the sysctl " + name + " cannot be set to \"" + value + "\"",
                    "the kernel changed it to \"" + inForce + "\"",
                    "write a value that the kernel does not change");
        }
    }

    /// Sets a value that the experiment does not ask for, if this kernel has the name and lets us
    /// write it. In many containers `/proc/sys` is read-only.
    static void writeIfPossible(String name, String value) {
        try {
            KernelWrite.write(path(name), value);
        } catch (SyscallException e) {
            // The value in force stays.
        }
    }

    private static RuntimeException refused(String name, String value, SyscallException e) {
        String what = "the sysctl " + name + " cannot be set to \"" + value + "\"";
        return switch (e.errno()) {
            case EROFS ->
                    new EnvironmentException(what, "/proc/sys is mounted read-only", WRITABLE);
            case EPERM -> new EnvironmentException(what, e.why(), WRITABLE);
            case EACCES ->
                    new EnvironmentException(
                            what,
                            "it is read-only in a network namespace",
                            "set it on the host yourself, or leave it out of the experiment");
            default ->
                    new UsageException(
                            what,
                            "the kernel refuses the value (" + e.errno().meaning() + ")",
                            "write it in the form of the present value, \"" + read(name) + "\"");
        };
    }

    /// The value in force, with single spaces between its parts.
    static String read(String name) {
        try {
            return normal(KernelFile.read(path(name)));
        } catch (IOException e) {
            throw new EnvironmentException(
                    "the sysctl " + name + " cannot be read",
                    String.valueOf(e.getMessage()),
                    "run as root");
        }
    }

    /// The values of the asked ones and of those always recorded, without missing ones.
    static SortedMap<String, String> inForce(Map<String, String> asked) {
        TreeSet<String> names = new TreeSet<>(ALWAYS);
        names.addAll(asked.keySet());
        SortedMap<String, String> values = new TreeMap<>();
        names.stream().filter(Sysctls::exists).forEach(name -> values.put(name, read(name)));
        return values;
    }

    static String normal(String value) {
        return value.strip().replaceAll("\\s+", " ");
    }

    private static List<String> names() {
        try (Stream<Path> files = Files.walk(ROOT.resolve("net"))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> ROOT.relativize(file).toString().replace('/', '.'))
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            return ALWAYS;
        }
    }
}
