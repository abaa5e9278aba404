package wallfinder.services.cxf;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// The options on the client's command line.
///
/// @param time how long to measure; zero for until `count` is reached
/// @param count how many requests all threads make; zero for any number
/// @param warmup requests that begin before this time has passed are not counted; their responses
///   are read to the end, so that the warm-up is the same whatever is measured after it
/// @param every how often the totals so far are printed; zero for only at the end
/// @param timeout the longest wait for an answer
/// @param stopOnError whether the first error ends the run
/// @param idleConnections how many idle connections `HttpURLConnection` keeps for one address; zero
///   for the JDK's 5
record ClientOptions(
        Operation operation,
        URI url,
        int threads,
        Duration time,
        long count,
        Duration warmup,
        Duration every,
        Duration timeout,
        Consume consume,
        Conduit conduit,
        Format format,
        boolean stopOnError,
        int idleConnections) {
    static final String USAGE =
            "usage: cxf-client.jar [get|post|put|delete] [--threads=N] [--time=30s | --count=N]"
                    + " [--url=URL | --protocol=http|https --host=HOST --port=N]"
                    + " [--consume=close|read|buffer] [--conduit=httpclient|urlconnection]"
                    + " [--accept=xml|json] [--warmup=TIME] [--every=TIME] [--timeout=TIME]"
                    + " [--stop-on-error] [--idleConnections=N]";

    private static final String DEFAULT_TIME = "30s";

    enum Operation {
        GET,
        POST,
        PUT,
        DELETE
    }

    /// How a response is consumed.
    enum Consume {
        /// Closes the response without reading its entity, as CXF's own sample does.
        CLOSE,
        /// Reads the entity to its end, then closes the response.
        READ,
        /// Buffers the entity in memory, then closes the response.
        BUFFER
    }

    /// CXF's transport for the requests.
    enum Conduit {
        /// `java.net.http.HttpClient`, CXF's choice since 4.0.1.
        HTTPCLIENT,
        /// `java.net.HttpURLConnection`, CXF's choice before.
        URLCONNECTION
    }

    enum Format {
        XML,
        JSON
    }

    static ClientOptions parse(String... words) {
        boolean named = words.length > 0 && !words[0].startsWith("--");
        String operation = named ? words[0] : "get";
        String[] rest =
                named ? List.of(words).subList(1, words.length).toArray(new String[0]) : words;
        CommandLineValues given = new CommandLineValues(rest);
        ClientOptions options =
                new ClientOptions(
                        operation(operation),
                        url(given),
                        (int) given.number("threads", 1, 1, 10_000),
                        given.time("time", given.has("count") ? "0s" : DEFAULT_TIME),
                        given.number("count", 0, 0, Long.MAX_VALUE),
                        given.time("warmup", "0s"),
                        given.time("every", "0s"),
                        given.time("timeout", "60s"),
                        oneOf(given, "consume", Consume.values()),
                        oneOf(given, "conduit", Conduit.values()),
                        oneOf(given, "accept", Format.values()),
                        given.flag("stop-on-error"),
                        (int) given.number("idleConnections", 0, 0, 10_000));
        given.nothingElse();
        if (options.time().isZero() && options.count() == 0) {
            throw new IllegalArgumentException("--time or --count must be more than nothing");
        }
        return options;
    }

    String described() {
        return "%s %s, %d threads, response %s, conduit %s, %s, Java %s (%s)"
                .formatted(
                        operation,
                        address(),
                        threads,
                        word(consume),
                        word(conduit),
                        word(format),
                        Runtime.version(),
                        System.getProperty("java.vendor"));
    }

    /// The address of the operation.
    String address() {
        String customers = url + "/customerservice/customers";
        return switch (operation) {
            case GET, DELETE -> customers + "/" + Customers.FIRST;
            case POST, PUT -> customers;
        };
    }

    private static Operation operation(String word) {
        for (Operation operation : Operation.values()) {
            if (word(operation).equals(word)) {
                return operation;
            }
        }
        throw new IllegalArgumentException(
                "the operation must be get, post, put or delete, not " + word);
    }

    private static URI url(CommandLineValues given) {
        if (!given.has("url")) {
            String protocol = given.oneOf("protocol", List.of("http", "https"));
            String host = given.text("host", "localhost");
            long port = given.number("port", 9000, 1, 65_535);
            return URI.create("%s://%s:%d".formatted(protocol, host, port));
        }
        String text = given.text("url", "").replaceFirst("/+$", "");
        URI url = URI.create(text);
        if (url.getHost() == null || !List.of("http", "https").contains(url.getScheme())) {
            throw new IllegalArgumentException("--url must be like http://HOST:PORT, not " + text);
        }
        return url;
    }

    private static <E extends Enum<E>> E oneOf(CommandLineValues given, String name, E[] known) {
        List<String> words = List.of(known).stream().map(ClientOptions::word).toList();
        return known[words.indexOf(given.oneOf(name, words))];
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
