package wallfinder.services.webflux;

import io.netty.util.NetUtil;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.convert.DurationStyle;
import reactor.netty.resources.LoopResources;

/// What the service is told on its command line. Nothing is read from the environment, so that a
/// trial is described by its command alone.
///
/// @param backlog what is asked of listen(2); the kernel takes the smaller of it and somaxconn
/// @param eventLoops the number of event loop threads
/// @param latency how long a lookup takes
record Options(
        String host, int port, int backlog, int eventLoops, Lookup lookup, Duration latency) {
    static final String USAGE =
            "options: --host=ADDRESS --port=0-65535 --backlog=N --eventLoops=N"
                    + " --lookup=async|blocking --latency=15ms";

    /// How a user is looked up.
    enum Lookup {
        /// By a timer: no thread waits.
        ASYNC,
        /// By sleeping on the event loop's own thread: the planted fault.
        BLOCKING
    }

    static Options parse(String... args) {
        Map<String, String> given = new HashMap<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (!arg.startsWith("--") || equals < 0) {
                throw new IllegalArgumentException(
                        "not an option of the form --name=value: " + arg);
            }
            given.put(arg.substring(2, equals), arg.substring(equals + 1));
        }
        Options options =
                new Options(
                        host(taken(given, "host", "0.0.0.0")),
                        number("port", taken(given, "port", "8080"), 0, 65_535),
                        number("backlog", taken(given, "backlog", "128"), 1, Integer.MAX_VALUE),
                        number("eventLoops", taken(given, "eventLoops", defaultLoops()), 1, 1_024),
                        lookup(taken(given, "lookup", "async")),
                        latency(taken(given, "latency", "15ms")));
        if (!given.isEmpty()) {
            throw new IllegalArgumentException(
                    "unknown option --" + given.keySet().iterator().next());
        }
        return options;
    }

    String described() {
        return "backlog %d, event loops %d, lookup %s of %d ms"
                .formatted(
                        backlog,
                        eventLoops,
                        lookup.name().toLowerCase(Locale.ROOT),
                        latency.toMillis());
    }

    private static String taken(Map<String, String> given, String name, String otherwise) {
        String value = given.remove(name);
        return value == null ? otherwise : value;
    }

    /// An address and not a name: starting must not depend on a resolver.
    private static String host(String value) {
        if (!NetUtil.isValidIpV4Address(value) && !NetUtil.isValidIpV6Address(value)) {
            throw new IllegalArgumentException("--host must be an IP address, not " + value);
        }
        return value;
    }

    /// reactor-netty's own rule: one for each processor, four at least.
    private static String defaultLoops() {
        return Integer.toString(LoopResources.DEFAULT_IO_WORKER_COUNT);
    }

    private static int number(String name, String value, int min, int max) {
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Told below, with the range.
        }
        throw new IllegalArgumentException(
                "--%s must be a number from %d to %d, not %s".formatted(name, min, max, value));
    }

    private static Lookup lookup(String value) {
        return switch (value) {
            case "async" -> Lookup.ASYNC;
            case "blocking" -> Lookup.BLOCKING;
            default ->
                    throw new IllegalArgumentException(
                            "--lookup must be async or blocking, not " + value);
        };
    }

    private static Duration latency(String value) {
        try {
            Duration latency = DurationStyle.detectAndParse(value);
            if (!latency.isNegative()) {
                return latency;
            }
        } catch (IllegalArgumentException notADuration) {
            // Told below.
        }
        throw new IllegalArgumentException("--latency must be a time like 15ms, not " + value);
    }
}
