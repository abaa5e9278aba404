package wallfinder.experiment;

import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;

/// Reads the `load` of an experiment.
final class LoadReader {
    private static final List<String> KINDS = List.of("url", "command", HoldReader.KEY);
    private static final List<String> HTTP_KEYS =
            List.of(
                    "url",
                    "method",
                    "headers",
                    "body",
                    "targets",
                    "cookies",
                    "connections",
                    "threads",
                    "keepalive",
                    "arrival",
                    "duration",
                    "requests",
                    "warmup",
                    "timeout",
                    "timeouts",
                    "unix",
                    "tls",
                    "expect",
                    "hosts");
    private static final List<String> TLS_KEYS =
            List.of("ca", "cert", "key", "insecure", "version", "resumption");
    private static final List<String> COMMAND_KEYS =
            Stream.concat(ServiceReader.PROGRAM_KEYS.stream(), Stream.of("measure", "duration"))
                    .toList();
    private static final List<String> MEASURE_KEYS =
            List.of("begin", "requests", "seconds", "rate", "errors");
    private static final List<String> TIMEOUT_KEYS = List.of("connect", "firstByte", "whole");
    private static final List<String> ARRIVALS = List.of("closed", "lockstep");
    private static final String ARRIVAL_EXAMPLE = "closed, lockstep or { rate: 5k }";
    private static final List<String> OPEN_KEYS = List.of("rate", "poisson", "seed", "stages");
    private static final List<String> STAGE_KEYS = List.of("for", "rate", "to");
    private static final String STAGES_EXAMPLE = "[{ for: 30s, rate: 1k }]";

    /// The maximum number of error counts in a program's output.
    private static final int GROUPS_MAX = 20;

    private static final int CONNECTIONS_DEFAULT = 64;
    private static final Duration DURATION_DEFAULT = Duration.ofSeconds(10);
    private static final Duration WARMUP_DEFAULT = Duration.ofSeconds(60);
    private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(10);
    private static final Duration DURATION_MAX = LoadSpec.Http.DURATION_MAX;
    private static final int PORT_MAX = 65_535;

    private LoadReader() {}

    /// @param names the known placeholders
    static LoadSpec read(YamlEntry load, Collection<String> names) {
        Map<String, YamlEntry> all = load.section("{ url: \"http://{server}:8080/\" }");
        List<String> kinds = KINDS.stream().filter(all::containsKey).toList();
        if (kinds.size() != 1) {
            throw load.error(
                    kinds.isEmpty()
                            ? "it needs 'url', 'command' or 'hold'"
                            : "it has both '" + String.join("' and '", kinds) + "'",
                    "Keep one: url: http://{server}:8080/, a command that drives the load, or"
                            + " hold: tcp://{server}:8000");
        }
        return switch (kinds.getFirst()) {
            case "url" -> http(load, load.section(HTTP_KEYS), names);
            case "command" -> command(load, load.section(COMMAND_KEYS), names);
            default -> HoldReader.read(load, names);
        };
    }

    private static LoadSpec.Http http(
            YamlEntry load, Map<String, YamlEntry> keys, Collection<String> names) {
        YamlEntry requests = keys.get("requests");
        Arrival arrival = arrival(keys.get("arrival"));
        Duration fallback = requests == null ? DURATION_DEFAULT : LoadSpec.Http.DURATION_MAX;
        Duration length = arrival instanceof Arrival.Stages stages ? stages.length() : fallback;
        String url = url(YamlEntry.required(keys, load, "url", "http://{server}:8080/"), names);
        return new LoadSpec.Http(
                url,
                RequestReader.read(keys, url, names),
                YamlEntry.flag(keys.get("cookies"), false),
                count(keys.get("connections"), CONNECTIONS_DEFAULT, LoadSpec.Http.CONNECTIONS_MAX),
                count(keys.get("threads"), 1, LoadSpec.Http.THREADS_MAX),
                YamlEntry.flag(keys.get("keepalive"), true),
                arrival,
                duration(keys.get("duration"), length, 1),
                requests == null
                        ? LoadSpec.Http.NO_REQUESTS_MAX
                        : requests.count("10k", 1, Long.MAX_VALUE - 1),
                duration(keys.get("warmup"), WARMUP_DEFAULT, 0),
                timeouts(keys.get("timeout"), keys.get("timeouts")),
                YamlEntry.optional(
                        keys.get("unix"), unix -> ServiceReader.text(unix, "/run/app.sock", names)),
                tls(keys.get("tls")),
                ExpectReader.read(keys.get("expect")),
                hosts(keys.get("hosts")));
    }

    static List<String> hosts(@Nullable YamlEntry entry) {
        return entry == null
                ? List.of()
                : entry.elements("[ssh:me@one.example, ssh:me@two.example]").stream()
                        .map(ServiceReader::host)
                        .toList();
    }

    private static TlsSpec tls(@Nullable YamlEntry entry) {
        if (entry == null) {
            return TlsSpec.DEFAULT;
        }
        Map<String, YamlEntry> keys = entry.section(TLS_KEYS);
        String ca = textOrNull(keys.get("ca"), "ca.pem");
        String cert = textOrNull(keys.get("cert"), "client.pem");
        String key = textOrNull(keys.get("key"), "client.key");
        String version = textOrNull(keys.get("version"), "1.3");
        boolean insecure = YamlEntry.flag(keys.get("insecure"), false);
        boolean resumption = YamlEntry.flag(keys.get("resumption"), true);
        return entry.checked(() -> new TlsSpec(ca, cert, key, insecure, version, resumption));
    }

    private static @Nullable String textOrNull(@Nullable YamlEntry entry, String example) {
        return YamlEntry.optional(entry, value -> value.text(example));
    }

    private static Timeouts timeouts(@Nullable YamlEntry timeout, @Nullable YamlEntry timeouts) {
        if (timeouts == null) {
            return Timeouts.whole(duration(timeout, TIMEOUT_DEFAULT, 1));
        }
        Map<String, YamlEntry> keys = timeouts.section(TIMEOUT_KEYS);
        YamlEntry whole = keys.get("whole");
        if (timeout != null && whole != null) {
            throw timeouts.error("'timeout' and 'whole' mean the same", "Leave one of them out");
        }
        Duration all = duration(whole == null ? timeout : whole, TIMEOUT_DEFAULT, 1);
        return new Timeouts(
                duration(keys.get("connect"), all, 1),
                duration(keys.get("firstByte"), all, 1),
                all);
    }

    private static LoadSpec.Command command(
            YamlEntry load, Map<String, YamlEntry> keys, Collection<String> names) {
        return new LoadSpec.Command(
                ServiceReader.ofLoad(load, keys, names),
                duration(keys.get("duration"), DURATION_DEFAULT, 1),
                measure(keys.get("measure")));
    }

    private static String url(YamlEntry entry, Collection<String> names) {
        String url = entry.text("http://{server}:8080/");
        WebUrl parts = WebUrl.split(url);
        ServiceReader.checkPlaceholders(entry, parts.base(), names);
        // A placeholder may be a host or a port. 1 is valid for both.
        Map<String, String> ones = new HashMap<>();
        Placeholders.names(parts.base()).forEach(name -> ones.put(name, "1"));
        String problem = urlProblem(Placeholders.fill(parts.base(), ones), parts.path());
        if (problem != null) {
            throw entry.error("'" + url + "' " + problem, "Write it as http://{server}:8080/path");
        }
        return url;
    }

    private static @Nullable String urlProblem(String url, String path) {
        if (!url.startsWith("http://") && !url.startsWith("https://")) {
            return "does not begin with http:// or https://";
        }
        if (WebUrl.problem(path) != null) {
            return "is not a URL";
        }
        try {
            URI uri = URI.create(url);
            if (uri.getHost() == null && !url.matches("https?://[0-9.]+(:.*)?")) {
                return "has no host";
            }
            return uri.getPort() == 0 || uri.getPort() > PORT_MAX
                    ? "has a port that does not exist"
                    : null;
        } catch (IllegalArgumentException _) {
            return "is not a URL";
        }
    }

    static int count(@Nullable YamlEntry entry, int fallback, int max) {
        return entry == null ? fallback : (int) entry.count(String.valueOf(fallback), 1, max);
    }

    private static Arrival arrival(@Nullable YamlEntry entry) {
        if (entry == null) {
            return new Arrival.Closed();
        }
        if (entry.node() instanceof MappingNode) {
            return openArrival(entry);
        }
        String text = entry.text(ARRIVAL_EXAMPLE);
        return switch (text) {
            case "closed" -> new Arrival.Closed();
            case "lockstep" -> new Arrival.Lockstep();
            default ->
                    throw entry.error(
                            "there is no arrival '" + text + "'", Nearest.advice(text, ARRIVALS));
        };
    }

    private static Arrival openArrival(YamlEntry entry) {
        Map<String, YamlEntry> keys = entry.section(OPEN_KEYS);
        YamlEntry rate = keys.get("rate");
        YamlEntry poisson = keys.get("poisson");
        YamlEntry seed = keys.get("seed");
        if (keys.size() != (poisson != null && seed != null ? 2 : 1)) {
            throw entry.error(
                    "it needs one of 'rate', 'poisson' and 'stages'; a seed only with poisson",
                    "Write it as { rate: 5k } or { poisson: 5k, seed: 1 }");
        }
        if (rate != null) {
            return new Arrival.Rate(rate(rate));
        }
        if (poisson != null) {
            return new Arrival.Poisson(
                    rate(poisson), seed == null ? null : seed.count("1", 0, Long.MAX_VALUE));
        }
        return stages(YamlEntry.required(keys, entry, "stages", STAGES_EXAMPLE));
    }

    private static double rate(YamlEntry entry) {
        double rate = entry.as("5k", Quantity::number);
        if (rate <= 0 || rate > Arrival.Open.RATE_MAX) {
            throw entry.error("it must be more than 0 and at most 10 million", "Write it as 5k");
        }
        return rate;
    }

    private static Arrival.Stages stages(YamlEntry entry) {
        List<YamlEntry> elements = entry.elements(STAGES_EXAMPLE);
        if (elements.isEmpty() || elements.size() > Arrival.Open.STAGES_MAX) {
            throw entry.error(
                    "there must be 1 to " + Arrival.Open.STAGES_MAX + " stages",
                    "Write them as " + STAGES_EXAMPLE);
        }
        return new Arrival.Stages(elements.stream().map(LoadReader::stage).toList());
    }

    private static Arrival.Stage stage(YamlEntry entry) {
        Map<String, YamlEntry> keys = entry.section(STAGE_KEYS);
        Duration length = duration(YamlEntry.required(keys, entry, "for", "30s"), Duration.ZERO, 1);
        double from = stageRate(YamlEntry.required(keys, entry, "rate", "1k"));
        YamlEntry to = keys.get("to");
        return new Arrival.Stage(length, from, to == null ? from : stageRate(to));
    }

    /// The rate of a stage may be 0, for a pause.
    private static double stageRate(YamlEntry entry) {
        return entry.as("1k", Quantity::number) == 0 ? 0 : rate(entry);
    }

    static Duration duration(@Nullable YamlEntry entry, Duration fallback, long nanosMin) {
        if (entry == null) {
            return fallback;
        }
        Duration duration = entry.as("10s", Quantity::duration);
        if (duration.toNanos() < nanosMin || duration.compareTo(DURATION_MAX) > 0) {
            throw entry.error(
                    "it must be more than 0 and at most 30 days", "Write it as 10s or 5m");
        }
        return duration;
    }

    private static LoadSpec.@Nullable Measure measure(@Nullable YamlEntry entry) {
        if (entry == null) {
            return null;
        }
        Map<String, YamlEntry> keys = entry.section(MEASURE_KEYS);
        if (keys.get("requests") == null
                && (keys.get("rate") == null || keys.get("seconds") == null)) {
            throw entry.error(
                    "it does not say how to find the number of requests",
                    "Add `requests: 'requests: (\\d+)'`, or both 'rate' and 'seconds'");
        }
        return new LoadSpec.Measure(
                regex(keys.get("begin"), 0, 0),
                regex(keys.get("requests"), 1, 1),
                regex(keys.get("seconds"), 1, 1),
                regex(keys.get("rate"), 1, 1),
                regex(keys.get("errors"), 1, GROUPS_MAX));
    }

    private static @Nullable String regex(@Nullable YamlEntry entry, int groupsMin, int groupsMax) {
        if (entry == null) {
            return null;
        }
        String example = groupsMax == 0 ? "'warmed up'" : "'requests: (\\d+)'";
        String regex = entry.text(example);
        try {
            int groups = Pattern.compile(regex).matcher("").groupCount();
            if (groups < groupsMin || groups > groupsMax) {
                throw entry.error(
                        "it has %d groups in parentheses, not %d".formatted(groups, groupsMin),
                        groupsMax == 0
                                ? "Write it as " + example
                                : "Put parentheses around the number: " + example);
            }
            return regex;
        } catch (PatternSyntaxException e) {
            throw entry.error(
                    "it is not a regular expression: " + e.getDescription(),
                    "Write it as " + example);
        }
    }
}
