package wallfinder.lab.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.Knob;
import wallfinder.experiment.Limits;
import wallfinder.experiment.Readiness;
import wallfinder.experiment.SandboxSpec;
import wallfinder.experiment.ServiceSpec;

/// The services of an experiment, and the settings of their end, as the text of an experiment. The
/// agent reads it like the file of a user, with the same checks. JSON is YAML.
final class ServicesText {
    /// The agent drives no load, but an experiment has one.
    private static final String NO_LOAD = "http://{server}/";

    private static final Pattern BELOW_HOME = Pattern.compile("\\{home}/([A-Za-z0-9][^\\s\"',]*)");

    private ServicesText() {}

    static String of(Experiment experiment) {
        Map<String, Object> services = new LinkedHashMap<>();
        experiment.services().forEach(spec -> services.put(spec.name(), service(spec)));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("name", experiment.name());
        all.put("services", services);
        all.put("sandbox", Map.of("server", server(experiment.sandbox())));
        all.put("load", Map.of("url", NO_LOAD));
        return JsonMapper.shared().writeValueAsString(all);
    }

    /// The files below this program's folder that the services name by `{home}`.
    static SortedSet<String> filesOfHome(Experiment experiment, Path home) {
        NavigableSet<String> names = new TreeSet<>();
        for (ServiceSpec spec : experiment.services()) {
            Stream.concat(Stream.of(spec.command()), spec.env().values().stream())
                    .flatMap(text -> BELOW_HOME.matcher(text).results())
                    .map(found -> found.group(1))
                    .filter(name -> Files.isRegularFile(home.resolve(name)))
                    .filter(name -> home.resolve(name).normalize().startsWith(home))
                    .forEach(names::add);
        }
        for (String name : List.copyOf(names)) {
            if (name.endsWith(".jar")) {
                classPath(home, name).forEach(names::add);
            }
        }
        return names;
    }

    /// The other jars that a jar's manifest names, which are relative to its folder.
    private static List<String> classPath(Path home, String jar) {
        Path file = home.resolve(jar);
        try (JarFile archive = new JarFile(file.toFile())) {
            Manifest manifest = archive.getManifest();
            String text =
                    manifest == null
                            ? null
                            : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            return Stream.of(text == null ? new String[0] : text.split("\\s+"))
                    .map(part -> file.resolveSibling(part).normalize())
                    .filter(part -> part.startsWith(home) && Files.isRegularFile(part))
                    .map(part -> home.relativize(part).toString())
                    .toList();
        } catch (IOException e) {
            return List.of(); // the service will say so
        }
    }

    private static Map<String, String> server(SandboxSpec spec) {
        Map<String, String> settings = new LinkedHashMap<>(spec.server());
        if (spec.serverResolver() != null) {
            settings.put("resolver", spec.serverResolver().text());
        }
        return settings;
    }

    private static Map<String, Object> service(ServiceSpec spec) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("command", spec.command());
        put(tree, "jvm", spec.jvm());
        if (!spec.env().isEmpty()) {
            tree.put("env", spec.env());
        }
        put(tree, "cwd", spec.cwd());
        put(tree, "user", spec.user());
        Limits limits = spec.limits();
        put(tree, "nofile", limits.nofile());
        put(tree, "pids", limits.pids());
        put(tree, "memory", limits.memoryBytes());
        put(tree, "tcpMemory", limits.tcpMemoryBytes());
        put(tree, "swap", limits.swapBytes());
        put(tree, "cpus", limits.text(Limits.Kind.CPUS));
        put(tree, "cpuset", limits.cpuset());
        tree.put("ready", ready(spec.ready()));
        tree.put("readyWithin", spec.readyWithin().toMillis() + "ms");
        if (!spec.knobs().isEmpty()) {
            Map<String, Object> knobs = new LinkedHashMap<>();
            spec.knobs().forEach((name, knob) -> knobs.put(name, knob(knob)));
            tree.put("knobs", knobs);
        }
        return tree;
    }

    private static Object ready(Readiness ready) {
        return switch (ready) {
            case Readiness.Url(String url) -> url;
            case Readiness.Tcp(String host, String port) -> "tcp://%s:%s".formatted(host, port);
            case Readiness.Log(String text) -> Map.of("log", text);
        };
    }

    private static Map<String, Object> knob(Knob knob) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("value", knob.value());
        tree.put("moves", knob.moves().word());
        put(tree, "max", knob.max());
        if (!knob.to().isEmpty()) {
            tree.put("to", knob.to());
        }
        return tree;
    }

    private static void put(Map<String, Object> tree, String name, @Nullable Object value) {
        if (value != null) {
            tree.put(name, value);
        }
    }
}
