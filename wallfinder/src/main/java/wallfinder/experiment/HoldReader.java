package wallfinder.experiment;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/// Reads a `load` that holds connections. Its keys are the options of the command `hold`.
final class HoldReader {
    static final String KEY = "hold";
    static final List<String> KEYS =
            List.of(
                    KEY,
                    "connections",
                    "threads",
                    "source",
                    "connectRate",
                    "warmup",
                    "connectConcurrency",
                    "connectTimeout",
                    "interval",
                    "jitter",
                    "size",
                    "timeout",
                    "idle",
                    "push",
                    "keepaliveInterval",
                    "onError",
                    "memoryFloor",
                    "duration",
                    "hosts");
    private static final String TARGET_EXAMPLE = "tcp://{server}:8000-8003";
    private static final int CONNECTIONS_DEFAULT = 100;
    private static final int AT_ONCE_DEFAULT = 128;
    private static final int BYTES_DEFAULT = 32;
    private static final long MEMORY_FLOOR_DEFAULT = 1L << 30;
    private static final Duration DURATION_DEFAULT = Duration.ofSeconds(10);
    private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(10);
    private static final Duration INTERVAL_DEFAULT = Duration.ofSeconds(1);
    private static final Duration KEEPALIVE_IDLE = Duration.ofSeconds(60);

    private final Map<String, YamlEntry> keys;

    private HoldReader(Map<String, YamlEntry> keys) {
        this.keys = keys;
    }

    /// @param names the known placeholders
    static LoadSpec.Hold read(YamlEntry load, Collection<String> names) {
        Map<String, YamlEntry> keys = load.section(KEYS);
        YamlEntry to = YamlEntry.required(keys, load, KEY, TARGET_EXAMPLE);
        HoldSpec.Target target = to.as(TARGET_EXAMPLE, HoldSpec::target);
        ServiceReader.checkPlaceholders(to, target.host(), names);
        return new HoldReader(keys).load(target, names);
    }

    private LoadSpec.Hold load(HoldSpec.Target target, Collection<String> names) {
        int connections = count("connections", CONNECTIONS_DEFAULT, HoldSpec.CONNECTIONS_MAX);
        HoldSpec spec =
                new HoldSpec(
                        target.host(),
                        target.port(),
                        target.ports(),
                        connections,
                        keys.containsKey("threads") ? count("threads", 1, HoldSpec.THREADS_MAX) : 0,
                        messages(),
                        opening(connections),
                        keepalive(),
                        onError(),
                        time("duration", DURATION_DEFAULT, 1));
        YamlEntry floor = keys.get("memoryFloor");
        return new LoadSpec.Hold(
                spec,
                YamlEntry.optional(
                        keys.get("source"),
                        source -> ServiceReader.text(source, "\"{client}\"", names)),
                floor == null ? MEMORY_FLOOR_DEFAULT : floor.as("1g", Quantity::bytes),
                LoadReader.hosts(keys.get("hosts")));
    }

    private HoldSpec.Kind kind() {
        boolean push = flag("push");
        if (push && flag("idle")) {
            throw entry("push")
                    .error(
                            "'idle' reads nothing, but 'push' reads what the service sends",
                            "Leave one of the two out");
        }
        return push ? HoldSpec.Kind.PUSH : flag("idle") ? HoldSpec.Kind.IDLE : HoldSpec.Kind.ECHO;
    }

    private HoldSpec.Messages messages() {
        HoldSpec.Kind kind = kind();
        Duration interval = time("interval", INTERVAL_DEFAULT, 0);
        Duration timeout = time("timeout", TIMEOUT_DEFAULT, 1);
        YamlEntry size = keys.get("size");
        YamlEntry jitter = keys.get("jitter");
        long bytes = size == null ? BYTES_DEFAULT : size.as("32", Quantity::bytes);
        int fitting = (int) Math.min(Integer.MAX_VALUE, bytes);
        Duration varying = time("jitter", Duration.ZERO, 0);
        YamlEntry place = jitter != null ? jitter : size != null ? size : entry(KEY);
        return place.checked(
                () -> new HoldSpec.Messages(kind, interval, varying, fitting, timeout));
    }

    private HoldSpec.Opening opening(int connections) {
        YamlEntry rate = keys.get("connectRate");
        Duration spread = time("warmup", Duration.ZERO, 0);
        if (rate != null && !spread.isZero()) {
            throw rate.error(
                    "'connectRate' and 'warmup' both say how fast to connect",
                    "Leave one of the two out");
        }
        double paced = spread.isZero() ? 0 : connections / (spread.toNanos() / 1e9);
        return new HoldSpec.Opening(
                rate == null ? paced : rate.as("5k", Quantity::number),
                count("connectConcurrency", AT_ONCE_DEFAULT, HoldSpec.CONNECTIONS_MAX),
                time("connectTimeout", TIMEOUT_DEFAULT, 1));
    }

    private Duration keepalive() {
        YamlEntry entry = keys.get("keepaliveInterval");
        if (entry == null) {
            return flag("idle") ? KEEPALIVE_IDLE : Duration.ZERO;
        }
        return entry.as("60s", text -> HoldSpec.keepalive(Quantity.duration(text), text));
    }

    private HoldSpec.OnError onError() {
        YamlEntry entry = keys.get("onError");
        if (entry == null) {
            return HoldSpec.OnError.COUNT;
        }
        List<String> words =
                Arrays.stream(HoldSpec.OnError.values())
                        .map(one -> one.name().toLowerCase(Locale.ROOT))
                        .toList();
        String text = entry.text("count");
        if (!words.contains(text)) {
            throw entry.error("there is no '" + text + "' here", Nearest.advice(text, words));
        }
        return HoldSpec.OnError.valueOf(text.toUpperCase(Locale.ROOT));
    }

    private YamlEntry entry(String key) {
        return Objects.requireNonNull(keys.get(key));
    }

    private boolean flag(String key) {
        return YamlEntry.flag(keys.get(key), false);
    }

    private int count(String key, int fallback, int max) {
        return LoadReader.count(keys.get(key), fallback, max);
    }

    private Duration time(String key, Duration fallback, long nanosMin) {
        return LoadReader.duration(keys.get(key), fallback, nanosMin);
    }
}
