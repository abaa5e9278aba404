package wallfinder.experiment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/// Reads the `services` of an experiment.
final class ServiceReader {
    /// The keys of any program, including a load command.
    static final List<String> PROGRAM_KEYS =
            List.of(
                    "command",
                    "jvm",
                    "env",
                    "cwd",
                    "user",
                    "nofile",
                    "pids",
                    "memory",
                    "tcpMemory",
                    "swap",
                    "cpus",
                    "cpuset",
                    "knobs");

    private static final List<String> KEYS =
            Stream.concat(PROGRAM_KEYS.stream(), Stream.of("ready", "readyWithin", "host"))
                    .toList();
    private static final String COMMAND = "\"{jvm}/bin/java -jar app.jar\"";
    private static final String LOAD_COMMAND = "\"wrk -c 64 -d 10s http://{server}:8080/\"";
    private static final Duration READY_WITHIN_MAX = Duration.ofDays(1);
    private static final String READY =
            "http://{server}:8080/health, tcp://{server}:8080 or { log: \"Started\" }";
    private static final String KNOB = "{ value: 128, moves: accept-queue, max: 65535 }";
    private static final Pattern TCP = Pattern.compile("tcp://([^:/\\s]+):([^:/\\s]+)/?");

    private ServiceReader() {}

    static List<ServiceSpec> readAll(YamlEntry services) {
        Map<String, YamlEntry> entries = services.section("web: { command: ..., ready: ... }");
        if (entries.isEmpty()) {
            throw services.error("there is no service", "Describe at least one");
        }
        List<ServiceSpec> specs = new ArrayList<>();
        Map<String, String> owners = new HashMap<>();
        entries.forEach((name, entry) -> {
            checkName(name, entry);
            ServiceSpec spec = read(name, entry);
            spec.knobs().keySet().forEach(knob -> claim(knob, name, owners, entry));
            checkHost(spec, specs, entry);
            specs.add(spec);
        });
        return List.copyOf(specs);
    }

    private static void checkName(String name, YamlEntry entry) {
        if (!name.matches("[A-Za-z][A-Za-z0-9_-]*")) {
            throw entry.error(
                    "'" + name + "' is not a name for a service",
                    "Use letters, digits, dashes and underscores");
        }
        // These names distinguish counters and settings.
        if (List.of(LoadSpec.Command.NAME, "server", "client").contains(name)) {
            throw entry.error("'" + name + "' is taken", "Give the service another name");
        }
    }

    /// The load's command uses knobs without the service's name, so their names are unique.
    private static void claim(
            String knob, String service, Map<String, String> owners, YamlEntry entry) {
        String other = owners.put(knob, service);
        if (other != null) {
            throw entry.error(
                    "its knob '" + knob + "' is also one of '" + other + "'", "Rename one of them");
        }
    }

    /// One agent starts and watches all services.
    private static void checkHost(ServiceSpec spec, List<ServiceSpec> before, YamlEntry entry) {
        if (!before.isEmpty() && !Objects.equals(spec.host(), before.getFirst().host())) {
            throw entry.error(
                    "it runs on another host than '%s'".formatted(before.getFirst().name()),
                    "Give all services the same host");
        }
    }

    private static ServiceSpec read(String name, YamlEntry service) {
        Map<String, YamlEntry> keys = service.section(KEYS);
        Map<String, Knob> knobs = knobs(keys.get("knobs"));
        Set<String> names = new LinkedHashSet<>(Placeholders.RESERVED);
        names.addAll(knobs.keySet());
        YamlEntry command = YamlEntry.required(keys, service, "command", COMMAND);
        YamlEntry ready = YamlEntry.required(keys, service, "ready", "http://{server}:8080/health");
        return program(
                name,
                text(command, COMMAND, names),
                keys,
                names,
                ready(ready, names),
                readyWithin(keys.get("readyWithin")),
                knobs);
    }

    /// The command of a load. It ends by itself, and nobody waits until it is ready.
    ///
    /// @param given the known placeholders without its own knobs
    static ServiceSpec ofLoad(
            YamlEntry load, Map<String, YamlEntry> keys, Collection<String> given) {
        YamlEntry entry = keys.get("knobs");
        Map<String, Knob> knobs = knobs(entry);
        Set<String> names = new LinkedHashSet<>(given);
        for (String knob : knobs.keySet()) {
            if (entry != null && !names.add(knob)) {
                throw entry.error(
                        "its knob '" + knob + "' is also one of a service", "Rename one of them");
            }
        }
        YamlEntry command = YamlEntry.required(keys, load, "command", LOAD_COMMAND);
        return program(
                LoadSpec.Command.NAME,
                text(command, LOAD_COMMAND, names),
                keys,
                names,
                new Readiness.Log(""),
                ServiceSpec.READY_WITHIN_DEFAULT,
                knobs);
    }

    private static ServiceSpec program(
            String name,
            String command,
            Map<String, YamlEntry> keys,
            Collection<String> names,
            Readiness ready,
            Duration readyWithin,
            Map<String, Knob> knobs) {
        Map<String, String> env = YamlEntry.texts(keys.get("env"), "{ JAVA_OPTS: -Xmx256m }");
        checkEnv(keys.get("env"), names);
        return new ServiceSpec(
                name,
                command,
                YamlEntry.optional(keys.get("jvm"), jvm -> jvm.text("25, or the path of a JDK")),
                env,
                YamlEntry.optional(keys.get("cwd"), cwd -> text(cwd, "services/app", names)),
                YamlEntry.optional(keys.get("user"), ServiceReader::user),
                YamlEntry.optional(keys.get("host"), ServiceReader::host),
                limits(keys),
                ready,
                readyWithin,
                knobs);
    }

    private static String user(YamlEntry entry) {
        return entry.matching(
                "[A-Za-z_][A-Za-z0-9_.-]{0,31}|\\d{1,10}",
                "the name or number of a user",
                "nobody");
    }

    static String host(YamlEntry entry) {
        return entry.matching(
                "ssh:[^\\s:]+", "another host, which is named as for ssh", "ssh:me@server.example");
    }

    /// A text that contains only known placeholders.
    static String text(YamlEntry entry, String example, Collection<String> names) {
        String text = entry.text(example);
        checkPlaceholders(entry, text, names);
        return text;
    }

    static void checkPlaceholders(YamlEntry entry, String text, Collection<String> names) {
        for (String name : Placeholders.names(text)) {
            if (!names.contains(name)) {
                throw entry.error("there is no {" + name + "}", Nearest.advice(name, names));
            }
        }
    }

    private static void checkEnv(@Nullable YamlEntry env, Collection<String> names) {
        if (env == null) {
            return;
        }
        env.section("{ NAME: value }")
                .forEach((name, entry) -> {
                    if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                        throw entry.error(
                                "'" + name + "' is not a name of a variable",
                                "Use letters, digits and underscores");
                    }
                    if (!entry.isEmptyText()) {
                        text(entry, "a value", names);
                    }
                });
    }

    private static Limits limits(Map<String, YamlEntry> keys) {
        String cpuset = "\\d+(-\\d+)?(,\\d+(-\\d+)?)*";
        return new Limits(
                YamlEntry.optional(keys.get("nofile"), e -> e.count("1024", 1, Integer.MAX_VALUE)),
                YamlEntry.optional(keys.get("pids"), e -> e.count("200", 1, Integer.MAX_VALUE)),
                YamlEntry.optional(keys.get("memory"), e -> positive(e, "512m", Quantity::bytes)),
                YamlEntry.optional(keys.get("cpus"), e -> positive(e, "0.5", Quantity::cpus)),
                YamlEntry.optional(
                        keys.get("cpuset"), e -> e.matching(cpuset, "a set of CPUs", "0-2,5")),
                YamlEntry.optional(keys.get("tcpMemory"), e -> positive(e, "16m", Quantity::bytes)),
                YamlEntry.optional(keys.get("swap"), e -> swap(e, keys)));
    }

    /// A program without a limit of its memory has no reason to swap.
    private static Long swap(YamlEntry entry, Map<String, YamlEntry> keys) {
        if (keys.get("memory") == null) {
            throw entry.error("it needs a limit of the memory", "Add memory, such as 512m");
        }
        return positive(entry, "256m", Quantity::bytes);
    }

    private static <N extends Number> N positive(
            YamlEntry entry, String example, Function<String, N> reader) {
        N value = entry.as(example, reader);
        if (value.doubleValue() <= 0) {
            throw entry.error("it must be more than 0", "Leave it out for no limit");
        }
        return value;
    }

    private static Readiness ready(YamlEntry ready, Collection<String> names) {
        if (ready.node() instanceof MappingNode) {
            Map<String, YamlEntry> keys = ready.section(List.of("log"));
            YamlEntry log = YamlEntry.required(keys, ready, "log", "\"Started\"");
            return new Readiness.Log(text(log, "\"Started\"", names));
        }
        String text = text(ready, READY, names);
        if (text.matches("http://[^/\\s]+(/\\S*)?")) {
            return new Readiness.Url(text);
        }
        Matcher tcp = TCP.matcher(text);
        if (!tcp.matches()) {
            throw ready.error(
                    "'" + text + "' is not a readiness condition", "Write it as " + READY);
        }
        return new Readiness.Tcp(tcp.group(1), tcp.group(2));
    }

    private static Duration readyWithin(@Nullable YamlEntry entry) {
        if (entry == null) {
            return ServiceSpec.READY_WITHIN_DEFAULT;
        }
        Duration bound = entry.as("30s", Quantity::duration);
        if (!bound.isPositive() || bound.compareTo(READY_WITHIN_MAX) > 0) {
            throw entry.error("it must be more than 0 and at most a day", "Write it as 30s or 5m");
        }
        return bound;
    }

    private static Map<String, Knob> knobs(@Nullable YamlEntry entry) {
        Map<String, Knob> knobs = new LinkedHashMap<>();
        if (entry != null) {
            entry.section("backlog: " + KNOB)
                    .forEach((name, child) -> knobs.put(name, knob(name, child)));
        }
        return Collections.unmodifiableMap(knobs);
    }

    private static Knob knob(String name, YamlEntry entry) {
        if (!name.matches("[A-Za-z][A-Za-z0-9_-]*")
                || Placeholders.RESERVED.contains(name)
                || Template.VARIABLES.contains(name)) {
            throw entry.error("'" + name + "' cannot be the name of a knob", "Rename it");
        }
        if (!(entry.node() instanceof MappingNode)) {
            throw entry.error("a knob is a section", "Write it as " + KNOB);
        }
        Map<String, YamlEntry> keys = entry.section(List.of("value", "moves", "max", "to"));
        YamlEntry valueEntry = YamlEntry.required(keys, entry, "value", "128");
        String value = valueEntry.text("128");
        YamlEntry moves = YamlEntry.required(keys, entry, "moves", "accept-queue");
        String word = moves.text("accept-queue");
        WallId wall = WallId.find(word);
        if (wall == null) {
            throw moves.error(
                    "there is no wall '" + word + "'", Nearest.advice(word, WallId.WORDS));
        }
        YamlEntry maxEntry = keys.get("max");
        Long max = maxEntry == null ? null : maxEntry.count("65535", 1, Long.MAX_VALUE);
        checkMax(valueEntry, value, max);
        return new Knob(value, wall, max, others(keys.get("to"), value, max));
    }

    /// The values that a remedy may try, for a knob that is not a number to raise.
    private static List<String> others(@Nullable YamlEntry to, String value, @Nullable Long max) {
        if (to == null) {
            return List.of();
        }
        if (max != null) {
            throw to.error(
                    "a knob is raised up to 'max', or turned 'to' one of some values",
                    "Keep one of the two");
        }
        List<YamlEntry> elements =
                to.node() instanceof ScalarNode ? List.of(to) : to.elements("[a, b]");
        if (elements.isEmpty()) {
            throw to.error("there is no value", "Name the other values, in the order to try them");
        }
        // In a cell of a matrix, the knob may have one of these values.
        return elements.stream()
                .map(other -> other.text("b"))
                .filter(other -> !other.equals(value))
                .toList();
    }

    private static void checkMax(YamlEntry entry, String value, @Nullable Long max) {
        if (max != null && value.matches("\\d{1,18}") && Long.parseLong(value) > max) {
            throw entry.error(
                    value + " is above the knob's own max, " + max, "Raise max, or leave it out");
        }
    }
}
