package wallfinder.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/// Finds a setting in an experiment's tree by its name: a knob, a sysctl, a key of a service or of
/// the load. The name may stand alone if it is unique, or be a full one like `service.knob`,
/// `server.net.core.somaxconn`, `service.memory` or `load.connections`.
final class MatrixSettings {
    private static final List<String> OF_SERVICE =
            List.of(
                    "jvm",
                    "memory",
                    "tcpMemory",
                    "swap",
                    "cpus",
                    "cpuset",
                    "nofile",
                    "pids",
                    "cwd",
                    "readyWithin");

    /// The keys that a load command has in common with a service, by their full names.
    private static final List<String> OF_PROGRAM =
            List.of(
                    "jvm",
                    "memory",
                    "tcpMemory",
                    "swap",
                    "cpus",
                    "cpuset",
                    "nofile",
                    "pids",
                    "cwd",
                    "env");

    private static final List<String> OF_LOAD =
            List.of(
                    "url",
                    "method",
                    "connections",
                    "threads",
                    "keepalive",
                    "arrival",
                    "duration",
                    "requests",
                    "warmup",
                    "timeout");
    private static final String JVM = "jvm";
    private static final String CLIENT_JVM = "clientJvm";
    private static final List<String> ENDS = List.of("server", "client");

    private final Map<String, List<Target>> known = new LinkedHashMap<>();

    /// @param mentioned whether the experiment sets it
    private record Target(List<String> path, boolean mentioned) {}

    MatrixSettings(Node root) {
        YamlTrees.children(YamlTrees.child(root, "services"))
                .forEach((name, service) -> addService(name, service));
        Node sandbox = YamlTrees.child(root, "sandbox");
        for (String end : ENDS) {
            for (String sysctl : YamlTrees.children(YamlTrees.child(sandbox, end)).keySet()) {
                add(end, sysctl, List.of("sandbox", end, sysctl), true);
            }
        }
        addLoad(YamlTrees.child(root, "load"));
    }

    private void addService(String name, Node service) {
        for (String knob : YamlTrees.children(YamlTrees.child(service, "knobs")).keySet()) {
            add(name, knob, List.of("services", name, "knobs", knob, "value"), true);
        }
        for (String key : OF_SERVICE) {
            boolean mentioned = YamlTrees.child(service, key) != null;
            boolean asked = key.equals(JVM) && YamlTrees.contains(service, "{jvm}");
            add(name, key, List.of("services", name, key), mentioned || asked);
        }
    }

    private void addLoad(@Nullable Node load) {
        boolean command = YamlTrees.child(load, "command") != null;
        boolean hold = YamlTrees.child(load, HoldReader.KEY) != null;
        List<String> ofUrl = hold ? HoldReader.KEYS : OF_LOAD;
        for (String key : command ? List.of("command", "duration") : ofUrl) {
            add("load", key, List.of("load", key), YamlTrees.child(load, key) != null);
        }
        if (!command) {
            return;
        }
        for (String knob : YamlTrees.children(YamlTrees.child(load, "knobs")).keySet()) {
            add("load", knob, List.of("load", "knobs", knob, "value"), true);
        }
        for (String key : OF_PROGRAM) {
            known.put("load." + key, List.of(new Target(List.of("load", key), true)));
        }
        known.put(CLIENT_JVM, List.of(new Target(List.of("load", JVM), true)));
    }

    /// Whether a path describes the load itself, and not the load command that drives it.
    static boolean asks(List<String> path) {
        return !OF_PROGRAM.contains(path.get(1)) && !path.get(1).equals("knobs");
    }

    private void add(String owner, String name, List<String> path, boolean mentioned) {
        known.put(owner + "." + name, List.of(new Target(path, true)));
        known.computeIfAbsent(name, key -> new ArrayList<>()).add(new Target(path, mentioned));
    }

    Set<String> names() {
        return known.keySet();
    }

    /// The path of a setting, if there is one of that name.
    ///
    /// @param placed whether the experiment contains the name in braces; then nothing is added
    /// @throws UsageException if the name is ambiguous
    Optional<List<String>> path(String name, boolean placed) {
        for (String end : ENDS) {
            if (name.startsWith(end + ".net.")) {
                String sysctl = name.substring(end.length() + 1);
                return Optional.of(List.of("sandbox", end, sysctl));
            }
        }
        List<Target> all = known.getOrDefault(name, List.of());
        List<Target> mentioned = all.stream().filter(Target::mentioned).toList();
        List<Target> meant = mentioned.isEmpty() && !placed ? all : mentioned;
        if (meant.size() <= 1) {
            return meant.stream().findFirst().map(Target::path);
        }
        if (placed) {
            return Optional.empty();
        }
        throw new UsageException(
                "The setting '" + name + "' is ambiguous",
                meant.size() + " settings have this name",
                "Write "
                        + meant.stream()
                                .map(MatrixSettings::wholeName)
                                .collect(Collectors.joining(" or ")));
    }

    private static String wholeName(Target target) {
        List<String> path = target.path();
        return path.getFirst().equals("load")
                ? "load." + path.get(path.contains("knobs") ? 2 : 1)
                : path.get(1) + "." + path.get(path.contains("knobs") ? 3 : 2);
    }

    /// False if the path sets the JVM of a service whose command does not contain `{jvm}`.
    static boolean takesEffect(Node root, List<String> path) {
        boolean ofService = path.getFirst().equals("services") && path.getLast().equals(JVM);
        return !ofService
                || YamlTrees.contains(
                        YamlTrees.child(YamlTrees.child(root, "services"), path.get(1)), "{jvm}");
    }
}
