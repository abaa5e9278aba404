package wallfinder.services.cxf;

import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The closed-loop client of the customer service. It prints its figures at its end, even if a
/// signal ends it.
public final class CxfClient {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    /// A field, because a logger without references loses its level.
    private static final Logger LOGS = Logger.getLogger("");

    private final ClientOptions options;
    private final ClosedLoop loop;
    private boolean printed;

    private CxfClient(ClientOptions options) {
        this.options = options;
        this.loop = new ClosedLoop(options);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.ROOT);
        // The client counts errors. CXF's stack trace of each would take more time than the
        // request.
        LOGS.setLevel(Level.OFF);
        ClientOptions options;
        try {
            options = ClientOptions.parse(arguments);
        } catch (IllegalArgumentException wrong) {
            System.err.println("cxf-client: " + wrong.getMessage());
            System.err.println(ClientOptions.USAGE);
            System.exit(USAGE);
            return;
        }
        if (options.idleConnections() > 0) {
            System.setProperty("http.maxConnections", "" + options.idleConnections());
        }
        System.out.println("cxf-client: " + options.described());
        System.exit(new CxfClient(options).run());
    }

    private int run() throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::interrupted, "interrupted"));
        loop.start();
        if (!loop.await(options.warmup().toNanos())) {
            System.out.println("cxf-client: counting");
        }
        long every = options.every().isZero() ? Long.MAX_VALUE : options.every().toNanos();
        while (!loop.await(every)) {
            System.out.println(loop.totals().soFar());
        }
        print();
        Totals totals = loop.totals();
        boolean failed = totals.requests() == 0 || options.stopOnError() && totals.failed() > 0;
        return failed ? FAILED : 0;
    }

    /// Runs at every exit. At a regular exit the figures are already printed.
    private void interrupted() {
        try {
            loop.stop();
            print();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Prints the figures once. A second caller waits until they are printed, because the process
    /// ends after the hook.
    private synchronized void print() {
        if (!printed) {
            loop.totals().lines().forEach(System.out::println);
            printed = true;
        }
    }
}
