package wallfinder.services.camel;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;

/// The options on the command line. The service reads nothing from the environment, so its command
/// alone describes a trial.
///
/// @param threads how many requests Tomcat serves at once
/// @param backlog the argument of listen(2); the kernel uses the smaller of it and somaxconn
/// @param connections how many connections Tomcat keeps at once; more wait in the backlog
/// @param processors how many idle request processors, with their buffers, Tomcat keeps
record Options(String host, int port, int threads, int backlog, int connections, int processors) {
    static final String USAGE =
            "options: --host=ADDRESS --port=0-65535 --threads=N --backlog=N --connections=N --processors=N";

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
                        number("threads", taken(given, "threads", "200"), 1, 10_000),
                        number("backlog", taken(given, "backlog", "100"), 1, Integer.MAX_VALUE),
                        number("connections", taken(given, "connections", "8192"), 1, 1 << 20),
                        number("processors", taken(given, "processors", "200"), 0, 10_000));
        if (!given.isEmpty()) {
            throw new IllegalArgumentException(
                    "unknown option --" + given.keySet().iterator().next());
        }
        return options;
    }

    String described() {
        return "threads %d, backlog %d, connections %d, processors %d"
                .formatted(threads, backlog, connections, processors);
    }

    private static String taken(Map<String, String> given, String name, String otherwise) {
        String value = given.remove(name);
        return value == null ? otherwise : value;
    }

    /// Accepts only an address, so that starting does not depend on a resolver.
    private static String host(String value) {
        try {
            if (value.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
                return InetAddress.getByName(value).getHostAddress();
            }
        } catch (UnknownHostException notAnAddress) {
            // The error below.
        }
        throw new IllegalArgumentException("--host must be an IP address, not " + value);
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
}
