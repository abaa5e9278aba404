package wallfinder.services.webflux;

import io.netty.util.NetUtil;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.convert.DurationStyle;
import reactor.netty.resources.LoopResources;

/// The options on the command line. The service reads nothing from the environment, so its command
/// alone describes a trial.
///
/// @param backlog the argument of listen(2); the kernel uses the smaller of it and somaxconn
/// @param redis the address of the users' store, if they are not in memory
/// @param latency the additional time of a lookup
record Options(
        String host,
        int port,
        int backlog,
        Server server,
        Optional<URI> redis,
        Lookup lookup,
        Duration latency) {
    static final String USAGE =
            "options: --host=ADDRESS --port=0-65535 --backlog=N --lookup=async|blocking"
                    + " --latency=15ms --store=memory|redis://HOST:PORT\n"
                    + "  --server=netty [--transport=epoll|io_uring|nio] [--eventLoops=N]\n"
                    + "  --server=tomcat [--threads=N] [--connections=N]\n"
                    + "  --server=jetty [--threads=N]";

    /// How a user is looked up.
    enum Lookup {
        /// Uses a timer and the store's asynchronous driver, so no thread waits.
        ASYNC,
        /// Waits on the server's own thread, with Netty an event loop. This is the planted fault.
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
        Optional<URI> redis = redis(taken(given, "store", "memory"));
        Options options =
                new Options(
                        host(taken(given, "host", "0.0.0.0")),
                        number("port", taken(given, "port", "8080"), 0, 65_535),
                        number("backlog", taken(given, "backlog", "128"), 1, Integer.MAX_VALUE),
                        server(given),
                        redis,
                        lookup(taken(given, "lookup", "async")),
                        latency(taken(given, "latency", redis.isPresent() ? "0ms" : "15ms")));
        if (!given.isEmpty()) {
            throw new IllegalArgumentException(unknown(given.keySet().iterator().next()));
        }
        return options;
    }

    String described() {
        return "backlog %d, %s, lookup %s%s of %d ms"
                .formatted(
                        backlog,
                        server.described(),
                        lookup.name().toLowerCase(Locale.ROOT),
                        redis.map(uri -> " in Redis at " + uri.getAuthority() + " and").orElse(""),
                        latency.toMillis());
    }

    private static String taken(Map<String, String> given, String name, String otherwise) {
        String value = given.remove(name);
        return value == null ? otherwise : value;
    }

    private static String unknown(String name) {
        return switch (name) {
            case "transport", "eventLoops" -> "--" + name + " goes with --server=netty only";
            case "threads" ->
                    "--threads goes with --server=tomcat or jetty; netty has --eventLoops";
            case "connections" -> "--connections goes with --server=tomcat only";
            default -> "unknown option --" + name;
        };
    }

    /// Takes only the options of that server. The remaining ones are refused later.
    private static Server server(Map<String, String> given) {
        String name = taken(given, "server", "netty");
        return switch (name) {
            case "netty" ->
                    new Server.Netty(
                            transport(taken(given, "transport", "epoll")),
                            number(
                                    "eventLoops",
                                    taken(given, "eventLoops", defaultLoops()),
                                    1,
                                    1_024));
            case "tomcat" ->
                    new Server.Tomcat(
                            number("threads", taken(given, "threads", "200"), 1, 10_000),
                            number(
                                    "connections",
                                    taken(given, "connections", tomcatDefault()),
                                    1,
                                    1_000_000));
            case "jetty" ->
                    new Server.Jetty(
                            number(
                                    "threads",
                                    taken(given, "threads", "200"),
                                    Server.Jetty.THREADS_MIN,
                                    10_000));
            default ->
                    throw new IllegalArgumentException(
                            "--server must be netty, tomcat or jetty, not " + name);
        };
    }

    private static Transport transport(String value) {
        return switch (value) {
            case "epoll" -> Transport.EPOLL;
            case "io_uring" -> Transport.IO_URING;
            case "nio" -> Transport.NIO;
            default ->
                    throw new IllegalArgumentException(
                            "--transport must be epoll, io_uring or nio, not " + value);
        };
    }

    private static Optional<URI> redis(String value) {
        if (value.equals("memory")) {
            return Optional.empty();
        }
        try {
            URI uri = URI.create(value);
            if ("redis".equals(uri.getScheme())
                    && uri.getHost() != null
                    && uri.getPort() > 0
                    && value.equals("redis://" + uri.getHost() + ":" + uri.getPort())) {
                return Optional.of(uri);
            }
        } catch (IllegalArgumentException notAnAddress) {
            // The error below.
        }
        throw new IllegalArgumentException(
                "--store must be memory or redis://HOST:PORT, not " + value);
    }

    /// Accepts only an address, so that starting does not depend on a resolver.
    private static String host(String value) {
        if (!NetUtil.isValidIpV4Address(value) && !NetUtil.isValidIpV6Address(value)) {
            throw new IllegalArgumentException("--host must be an IP address, not " + value);
        }
        return value;
    }

    /// reactor-netty's own rule: one for each processor, at least four.
    private static String defaultLoops() {
        return Integer.toString(LoopResources.DEFAULT_IO_WORKER_COUNT);
    }

    private static String tomcatDefault() {
        return Integer.toString(Server.Tomcat.CONNECTIONS);
    }

    private static int number(String name, String value, int min, int max) {
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // The error below gives the range.
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
            // The error below.
        }
        throw new IllegalArgumentException("--latency must be a time like 15ms, not " + value);
    }
}
