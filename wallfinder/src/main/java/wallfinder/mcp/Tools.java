package wallfinder.mcp;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import wallfinder.experiment.UsageException;
import wallfinder.mcp.Tool.Plan;

/// All tools, with what the operator allows.
final class Tools {
    /// A climb ends at this multiple of its connections (docs/find.md).
    private static final int CLIMB = 16;

    private static final int CONNECTIONS_DEFAULT = 10;
    private static final int PORT_MAX = 65_535;
    private static final int COUNT_MAX = 10_000_000;
    private static final Duration DURATION_DEFAULT = Duration.ofSeconds(10);

    /// What a command does besides measuring: the start, the requests one by one, the files.
    private static final Duration AROUND = Duration.ofSeconds(60);

    private static final String URL_FORM = "The URL, as in http://127.0.0.1:8080/path.";

    private static final Parameter KEEPALIVE =
            Parameter.flag(
                    "keepalive",
                    "Keep connections open; false opens one per request. Default: true.");

    private static final Parameter HEADERS =
            Parameter.texts("headers", "Headers to send, each as in \"Accept: text/html\".");

    private static final Parameter OBJECTIVE =
            Parameter.text(
                    "objective", "What the service must reach, as in \"p99 < 50ms, errors < 1%\".");

    private final Permissions allowed;

    Tools(Permissions allowed) {
        this.allowed = allowed;
    }

    List<Tool> all() {
        return List.of(load(), find(), watch(), doctor(), explain(), compare());
    }

    private Tool load() {
        return new Tool(
                "load",
                "Drive one HTTP load",
                "Sends GET requests to a URL for some seconds, watches the kernel on both ends, and"
                        + " names the limit (the wall) if the load reaches one. Without a rate, each"
                        + " connection sends its next request when its last answer is complete. That is"
                        + " allowed on this host; a private address needs a rate, and any other host"
                        + " needs the operator's permission.",
                false,
                List.of(
                        Parameter.text("url", URL_FORM),
                        Parameter.count(
                                "connections",
                                allowed.connectionsMax(),
                                "Connections to keep busy. Default: 10."),
                        Parameter.count(
                                "rate",
                                allowed.rateMax(),
                                "Requests a second, sent when they are due (open loop)."),
                        duration("How long to measure"),
                        KEEPALIVE,
                        HEADERS,
                        OBJECTIVE),
                List.of("url"),
                this::load);
    }

    private Plan load(Arguments given) {
        Target target = Target.of(given.needed("url"));
        if (given.has("rate")) {
            target.checkPaced(allowed);
        } else {
            target.checkUnpaced(allowed);
        }
        List<String> words = words("load");
        given.count("rate").ifPresent(rate -> words.add("--rate=" + rate));
        Duration length = driven(words, given, allowed.connectionsMax());
        words.add(given.needed("url"));
        return new Plan(words, true, true, length.plus(AROUND));
    }

    private Tool find() {
        String experiment =
                allowed.trust()
                        ? ""
                        : " This server may not start programs, so it refuses experiments.";
        return new Tool(
                "find",
                "Find the wall of a service",
                "Raises the load until the service reaches a limit (the wall), and names it with"
                        + " evidence. With a url: the first wall of a running service; prints what would"
                        + " move it and changes nothing. With an experiment (a YAML file): starts the"
                        + " services in a sandbox, proves remedies, and goes on to the next wall."
                        + experiment
                        + " Takes minutes. Give either url or experiment.",
                false,
                List.of(
                        Parameter.text(
                                "url",
                                URL_FORM + " On this host, or one that the operator allows."),
                        Parameter.text("experiment", "The path of an experiment's YAML file."),
                        Parameter.count(
                                "connections",
                                climbFrom(),
                                "With a url: the usual number of connections. The climb ends at 16"
                                        + " times as many. Default: 10."),
                        duration("With a url: how long to measure at the wall"),
                        KEEPALIVE,
                        HEADERS,
                        OBJECTIVE),
                List.of(),
                this::find);
    }

    private Plan find(Arguments given) {
        one(given, "url", "experiment");
        List<String> words = words("find");
        if (given.has("experiment")) {
            words.add(experiment(given.needed("experiment")));
            for (String other :
                    List.of("connections", "duration", "keepalive", "headers", "objective")) {
                if (given.has(other)) {
                    throw new UsageException(
                            "the argument " + other + " cannot be used here",
                            "the load is that of the experiment",
                            "leave it out, or change the experiment");
                }
            }
        } else {
            Target.of(given.needed("url")).checkUnpaced(allowed);
            driven(words, given, climbFrom());
            words.add(given.needed("url"));
        }
        return new Plan(words, true, true, allowed.searchMax());
    }

    private Tool watch() {
        return new Tool(
                "watch",
                "Watch a running service",
                "Watches a running service of this host under the load that it has, and names the limit"
                        + " that stops it. Sends nothing and changes nothing. Give one of port, pid and"
                        + " cgroup.",
                true,
                List.of(
                        Parameter.count("port", PORT_MAX, "The port on which the service listens."),
                        Parameter.count("pid", Integer.MAX_VALUE, "The service's process."),
                        Parameter.text(
                                "cgroup", "The service's cgroup, as in system.slice/x.service."),
                        duration("How long to watch")),
                List.of(),
                given -> {
                    one(given, "port", "pid", "cgroup");
                    List<String> words = words("watch");
                    service(words, given);
                    given.text("cgroup").ifPresent(group -> words.add("--cgroup=" + group));
                    Duration length = length(given);
                    words.add("--duration=" + length.toMillis() + "ms");
                    return new Plan(words, true, false, length.plus(AROUND));
                });
    }

    private Tool doctor() {
        return new Tool(
                "doctor",
                "List the limits that a plan will meet",
                "Lists every limit that a planned load meets on this host: which comes first, at which"
                        + " number, who sets it, and what would move it. Sends no load and changes"
                        + " nothing. Give the service by url, port or pid, or none of them to check only"
                        + " this host as a client.",
                true,
                List.of(
                        Parameter.text("url", URL_FORM + " It gets no request."),
                        Parameter.count("port", PORT_MAX, "The port on which the service listens."),
                        Parameter.count("pid", Integer.MAX_VALUE, "The service's process."),
                        Parameter.count(
                                "connections",
                                COUNT_MAX,
                                "The plan: connections at the same time."),
                        Parameter.count("rate", COUNT_MAX, "The plan: requests a second."),
                        KEEPALIVE),
                List.of(),
                given -> {
                    List<String> words = new ArrayList<>(List.of("doctor"));
                    service(words, given);
                    given.count("connections").ifPresent(n -> words.add("--connections=" + n));
                    given.count("rate").ifPresent(n -> words.add("--rate=" + n));
                    keepalive(words, given);
                    given.text("url")
                            .ifPresent(url -> {
                                Target.of(url);
                                words.add(url);
                            });
                    return new Plan(words, true, false, AROUND);
                });
    }

    private static Tool explain() {
        return new Tool(
                "explain",
                "Explain a wall",
                "Prints the page of a wall: symptom, mechanism, how to see it by hand, remedies and their"
                        + " price. Without a wall, lists all of them.",
                true,
                List.of(Parameter.text("wall", "The wall's id, as in accept-queue.")),
                List.of(),
                given -> {
                    List<String> words = new ArrayList<>(List.of("explain"));
                    given.text("wall").map(wall -> noOption("wall", wall)).ifPresent(words::add);
                    return new Plan(words, false, false, AROUND);
                });
    }

    private static Tool compare() {
        return new Tool(
                "compare",
                "Compare two stored runs",
                "Compares two stored runs of load, find or another command, figure by figure, with"
                        + " intervals. Measures nothing. Ratios are b divided by a.",
                true,
                List.of(
                        Parameter.text("a", "The first run: its folder or its run.json."),
                        Parameter.text("b", "The second run: its folder or its run.json.")),
                List.of("a", "b"),
                given -> {
                    String a = noOption("a", given.needed("a"));
                    String b = noOption("b", given.needed("b"));
                    return new Plan(List.of("compare", a, b), true, false, AROUND);
                });
    }

    private Parameter duration(String what) {
        return Parameter.text(
                "duration",
                "%s, as in 10s, at most %d s. Default: 10s."
                        .formatted(what, allowed.durationMax().toSeconds()));
    }

    private Duration length(Arguments given) {
        Duration most = allowed.durationMax();
        Duration otherwise = DURATION_DEFAULT.compareTo(most) > 0 ? most : DURATION_DEFAULT;
        return given.duration("duration", otherwise, most);
    }

    private static List<String> words(String command) {
        return new ArrayList<>(List.of(command, "--no-live"));
    }

    /// The most connections at the beginning of a climb.
    private int climbFrom() {
        return Math.max(1, allowed.connectionsMax() / CLIMB);
    }

    /// Adds the options of a load on a URL.
    private Duration driven(List<String> words, Arguments given, int connectionsMax) {
        int connections = Math.min(CONNECTIONS_DEFAULT, connectionsMax);
        words.add("--connections=" + given.count("connections").orElse(connections));
        Duration length = length(given);
        words.add("--duration=" + length.toMillis() + "ms");
        keepalive(words, given);
        given.texts("headers").forEach(header -> words.add("--header=" + header));
        given.text("objective").ifPresent(objective -> words.add("--objective=" + objective));
        return length;
    }

    private static void keepalive(List<String> words, Arguments given) {
        if (!given.flag("keepalive", true)) {
            words.add("--no-keepalive");
        }
    }

    private static void service(List<String> words, Arguments given) {
        given.count("port").ifPresent(port -> words.add("--port=" + port));
        given.count("pid").ifPresent(pid -> words.add("--pid=" + pid));
    }

    private String experiment(String path) {
        if (!allowed.trust()) {
            throw new UsageException(
                    "the experiment " + path + " was not run",
                    "an experiment starts programs, and this server may not do that",
                    "ask the operator to read the file and to run `wallfinder find`, or to start this"
                            + " server with --trust");
        }
        String lower = path.toLowerCase(Locale.ROOT);
        if (!lower.endsWith(".yaml") && !lower.endsWith(".yml")) {
            throw new UsageException(
                    "the experiment " + path + " cannot be used",
                    "its name does not end in .yaml",
                    "give the path of an experiment's YAML file");
        }
        return noOption("experiment", path);
    }

    /// A text that the command line does not take for an option.
    private static String noOption(String name, String text) {
        if (text.isEmpty() || text.startsWith("-")) {
            throw new UsageException(
                    "the argument " + name + " cannot be used",
                    "it is empty or begins with a hyphen",
                    "a path may begin with ./");
        }
        return text;
    }

    private static void one(Arguments given, String... names) {
        if (Stream.of(names).filter(given::has).count() != 1) {
            throw new UsageException(
                    "the tool does not know what to look at",
                    "it takes exactly one of " + String.join(", ", names),
                    "give one of them");
        }
    }
}
