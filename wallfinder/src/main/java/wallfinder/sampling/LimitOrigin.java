package wallfinder.sampling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import wallfinder.observation.Bound.Setter;

/// Who set the limits of a process: a systemd unit, a container's runtime, or the process that the
/// limit is inherited from.
///
/// @param root `/`
record LimitOrigin(Path root) {
    /// Where units are looked for, the first that has one wins (`systemd.unit(5)`).
    private static final List<String> UNITS =
            List.of("etc/systemd/system", "run/systemd/system", "usr/lib/systemd/system");

    /// A unit has it in percent of a CPU.
    private static final String CPU_QUOTA = "CPUQuota";

    private static final int ANCESTORS_MAX = 64;

    /// The limit of a process, which it may have from an ancestor.
    ///
    /// @param key of the unit file, such as `LimitNOFILE`
    /// @param option of `ulimit` and `docker run --ulimit`, such as `nofile`
    /// @param limitOf what the same limit is for a process, `NaN` if unknown
    Setter ofProcess(
            int pid, String key, String option, double value, ToDoubleFunction<Integer> limitOf) {
        String group = SettingFiles.lines(Path.of("/proc/" + pid + "/cgroup")).toString();
        Optional<String> unit = unit(group);
        if (unit.isPresent() && file(unit.get(), key).isPresent()) {
            return ofUnit(unit.get(), key);
        }
        if (contained(group)) {
            return new Setter(
                    "the container's runtime",
                    List.of("docker run --ulimit " + option + "={to}, or what its runtime has"));
        }
        int origin = pid;
        int parent = parent(pid);
        for (int i = 0; i < ANCESTORS_MAX && parent > 1; i++) {
            if (limitOf.applyAsDouble(parent) != value) {
                break;
            }
            origin = parent;
            parent = parent(parent);
        }
        String whose =
                origin == pid
                        ? "ulimit of process " + pid + " (" + name(pid) + ")"
                        : "ulimit, as process " + origin + " (" + name(origin) + ") has it";
        List<String> commands = new ArrayList<>();
        commands.add("prlimit --pid " + pid + " --" + option + "={to}");
        unit.ifPresent(u -> commands.add(key + "={to} (systemctl edit " + u + ", restart it)"));
        return new Setter(whose, commands);
    }

    /// A limit of a cgroup.
    ///
    /// @param file that holds it
    /// @param key of a unit, such as `TasksMax`
    /// @param option of `docker run`, such as `--pids-limit`
    Setter ofGroup(Path file, String key, String option) {
        Optional<String> unit = unit(file.toString());
        if (contained(file.toString())) {
            return new Setter(
                    "the container's runtime, " + file,
                    List.of("docker update " + option + "={to} CONTAINER, or the pod's limits"));
        }
        if (unit.isPresent()) {
            return ofUnit(unit.get(), key);
        }
        String value = key.equals(CPU_QUOTA) ? "{to} CPUs of quota, in " : "echo {to} > ";
        return new Setter(file.toString(), List.of(value + file));
    }

    private Setter ofUnit(String unit, String key) {
        String told =
                file(unit, key).map(file -> key + "= in " + file).orElse(key + "= of " + unit);
        String set = "systemctl set-property " + unit + " " + key + "=";
        String command =
                key.startsWith("Limit")
                        ? key + "={to} (systemctl edit " + unit + ", restart it)"
                        : key.equals(CPU_QUOTA)
                                ? set + "PERCENT%, of one CPU: for {to} CPUs"
                                : set + "{to}";
        return new Setter(told, List.of(command));
    }

    /// The last unit on a path of cgroups.
    static Optional<String> unit(String path) {
        String last = null;
        for (String part : path.split("[/,\\]\\[ ]+")) {
            if (part.endsWith(".service") || part.endsWith(".scope") || part.endsWith(".slice")) {
                last = part;
            }
        }
        return Optional.ofNullable(last);
    }

    /// Whether cgroups of this name belong to a container.
    static boolean contained(String path) {
        return path.contains("docker")
                || path.contains("kubepods")
                || path.contains("libpod")
                || path.contains("crio-")
                || path.contains("containerd");
    }

    /// The file in which a unit has this key: a drop-in counts more than the unit itself.
    Optional<Path> file(String unit, String key) {
        Optional<Path> found = Optional.empty();
        for (String folder : UNITS) {
            Path file = root.resolve(folder).resolve(unit);
            List<Path> candidates = new ArrayList<>(List.of(file));
            try (var more = Files.newDirectoryStream(Path.of(file + ".d"), "*.conf")) {
                more.forEach(candidates::add);
            } catch (IOException e) {
                // It has no drop-ins here.
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

    private static int parent(int pid) {
        try (ProcessStat stat = new ProcessStat(pid)) {
            return stat.read() ? stat.parent() : 0;
        }
    }

    private static String name(int pid) {
        List<String> comm = SettingFiles.lines(Path.of("/proc/" + pid + "/comm"));
        return comm.isEmpty() ? "?" : comm.getFirst();
    }
}
