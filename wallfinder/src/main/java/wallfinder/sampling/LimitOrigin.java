package wallfinder.sampling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import wallfinder.observation.Bound.Setter;

/// Finds out who set the limits of a process: a systemd unit, a container runtime, or an ancestor
/// process.
record LimitOrigin(Path root) {
    /// The folders of units; the first folder with the unit wins (`systemd.unit(5)`).
    private static final List<String> UNITS =
            List.of("etc/systemd/system", "run/systemd/system", "usr/lib/systemd/system");

    /// A unit gives it in percent of one CPU.
    private static final String CPU_QUOTA = "CPUQuota";

    private static final int ANCESTORS_MAX = 64;

    /// Who set a limit of a process. The process may have inherited it.
    ///
    /// @param key the key in a unit file, such as `LimitNOFILE`
    /// @param option the option of `ulimit` and `docker run --ulimit`, such as `nofile`
    /// @param limitOf the same limit of another process, `NaN` if unknown
    Setter ofProcess(
            int pid, String key, String option, double value, ToDoubleFunction<Integer> limitOf) {
        String group = SettingFiles.lines(Path.of("/proc/" + pid + "/cgroup")).toString();
        Optional<String> unit = unit(group);
        if (unit.isPresent() && file(unit.get(), key).isPresent()) {
            return ofUnit(unit.get(), key);
        }
        if (contained(group)) {
            return new Setter(
                    "the container runtime",
                    List.of(
                            "docker run --ulimit "
                                    + option
                                    + "={to}, or the same of another runtime"));
        }
        int origin = pid;
        int parent = ProcessStat.parentOf(pid);
        for (int i = 0; i < ANCESTORS_MAX && parent > 1; i++) {
            if (limitOf.applyAsDouble(parent) != value) {
                break;
            }
            origin = parent;
            parent = ProcessStat.parentOf(parent);
        }
        String whose =
                origin == pid
                        ? "ulimit of process " + pid + " (" + name(pid) + ")"
                        : "ulimit, inherited from process " + origin + " (" + name(origin) + ")";
        List<String> commands = new ArrayList<>();
        commands.add("prlimit --pid " + pid + " --" + option + "={to}");
        unit.ifPresent(u -> commands.add(key + "={to} (systemctl edit " + u + ", restart it)"));
        return new Setter(whose, commands);
    }

    /// Who set a limit of a cgroup.
    ///
    /// @param file the cgroup's file with the limit
    /// @param key the key in a unit file, such as `TasksMax`
    /// @param option the option of `docker run`, such as `--pids-limit`
    Setter ofGroup(Path file, String key, String option) {
        Optional<String> unit = unit(file.toString());
        if (contained(file.toString())) {
            return new Setter(
                    "the container runtime, " + file,
                    List.of("docker update " + option + "={to} CONTAINER, or the pod's limits"));
        }
        if (unit.isPresent()) {
            return ofUnit(unit.get(), key);
        }
        String value = key.equals(CPU_QUOTA) ? "{to} CPUs of quota, in " : "echo {to} > ";
        return new Setter(file.toString(), List.of(value + file));
    }

    private Setter ofUnit(String unit, String key) {
        String setBy =
                file(unit, key).map(file -> key + "= in " + file).orElse(key + "= of " + unit);
        String set = "systemctl set-property " + unit + " " + key + "=";
        String command =
                key.startsWith("Limit")
                        ? key + "={to} (systemctl edit " + unit + ", restart it)"
                        : key.equals(CPU_QUOTA)
                                ? set + "PERCENT%, of one CPU: for {to} CPUs"
                                : set + "{to}";
        return new Setter(setBy, List.of(command));
    }

    /// The last unit on a cgroup's path.
    static Optional<String> unit(String path) {
        String last = null;
        for (String part : path.split("[/,\\]\\[ ]+")) {
            if (part.endsWith(".service") || part.endsWith(".scope") || part.endsWith(".slice")) {
                last = part;
            }
        }
        return Optional.ofNullable(last);
    }

    static boolean contained(String path) {
        return path.contains("docker")
                || path.contains("kubepods")
                || path.contains("libpod")
                || path.contains("crio-")
                || path.contains("containerd");
    }

    /// The file that sets this key of a unit; a drop-in overrides the unit file.
    Optional<Path> file(String unit, String key) {
        Optional<Path> found = Optional.empty();
        for (String folder : UNITS) {
            Path file = root.resolve(folder).resolve(unit);
            List<Path> candidates = new ArrayList<>(List.of(file));
            try (var more = Files.newDirectoryStream(Path.of(file + ".d"), "*.conf")) {
                more.forEach(candidates::add);
            } catch (IOException e) {
                // The unit has no drop-ins here.
            }
            for (Path candidate : candidates) {
                boolean has =
                        SettingFiles.lines(candidate).stream()
                                .anyMatch(line -> line.startsWith(key + "="));
                boolean dropIn = candidate.toString().endsWith(".conf");
                if (has && (found.isEmpty() || dropIn)) {
                    found = Optional.of(candidate);
                }
            }
        }
        return found;
    }

    private static String name(int pid) {
        List<String> comm = SettingFiles.lines(Path.of("/proc/" + pid + "/comm"));
        return comm.isEmpty() ? "?" : comm.getFirst();
    }
}
