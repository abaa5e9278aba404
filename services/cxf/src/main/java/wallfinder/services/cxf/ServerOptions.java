package wallfinder.services.cxf;

import java.util.List;

/// The options on the server's command line.
///
/// @param backlog the argument of listen(2), or [#JETTYS]
/// @param threads the largest number of threads, or [#JETTYS]
/// @param customers the largest number of customers in memory
/// @param keystore a PKCS #12 file with the key for https, or an empty text to make one
record ServerOptions(
        String host,
        int port,
        boolean https,
        int backlog,
        int threads,
        long customers,
        String keystore,
        String keystorePassword) {
    /// Jetty's own value: 200 threads, and the JDK's backlog of 50.
    static final int JETTYS = 0;

    static final String USAGE =
            "options: --host=ADDRESS --port=0-65535 --https --backlog=N --threads=N --customers=N"
                    + " --keystore=FILE.p12 --keystorePassword=WORD";

    private static final int JETTY_THREADS = 200;
    private static final int THREADS_MIN = 8;

    static ServerOptions parse(String... words) {
        CommandLineValues given = new CommandLineValues(words);
        ServerOptions options =
                new ServerOptions(
                        given.text("host", "0.0.0.0"),
                        (int) given.number("port", 9000, 0, 65_535),
                        given.flag("https"),
                        (int) given.number("backlog", JETTYS, JETTYS, Integer.MAX_VALUE),
                        (int) given.number("threads", JETTY_THREADS, THREADS_MIN, 10_000),
                        given.number("customers", 100_000, 1, 100_000_000),
                        given.text("keystore", ""),
                        given.text("keystorePassword", "changeit"));
        given.nothingElse();
        if (!options.keystore().isEmpty() && !options.https()) {
            throw new IllegalArgumentException("--keystore is for --https");
        }
        return options;
    }

    String scheme() {
        return https ? "https" : "http";
    }

    String described() {
        return String.join(
                ", ",
                List.of(
                        "backlog " + (backlog == JETTYS ? "of the JDK (50)" : "" + backlog),
                        "threads " + threads,
                        "Java " + Runtime.version()));
    }
}
