package wallfinder.services.echo;

import java.io.IOException;
import java.util.Locale;

/// An echo server with three modes.
public final class EchoServer {
    private EchoServer() {}

    public static void main(String[] args) throws InterruptedException {
        try {
            run(ServerPlan.parse(args));
        } catch (IllegalArgumentException wrong) {
            Arguments.refuse("echo server", wrong, ServerPlan.USAGE);
        } catch (IOException unusable) {
            System.err.println("echo server: " + unusable.getMessage());
            System.exit(1);
        }
    }

    private static void run(ServerPlan asked) throws IOException, InterruptedException {
        ServerPlan plan = rehearsed(asked);
        Tally tally = new Tally();
        Server server;
        try {
            server = plan.mode().open(plan, tally);
        } catch (Mode.Unavailable impossible) {
            throw new AssertionError("it was there a moment ago", impossible);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, tally), "stop"));
        System.out.println("listening on " + plan.shown(server.port()));
        while (true) {
            tally.print();
            Thread.sleep(tally.untilNextLineMillis());
        }
    }

    /// Falls back to the plain mode if this host or JVM does not support the requested one.
    private static ServerPlan rehearsed(ServerPlan asked) {
        try {
            Rehearsal.run(asked.forRehearsal());
            return asked;
        } catch (Mode.Unavailable missing) {
            System.err.println(
                    "echo server: the mode %s cannot be had: %s; this is the plain one"
                            .formatted(
                                    asked.mode().name().toLowerCase(Locale.ROOT),
                                    missing.getMessage()));
            return rehearsed(asked.inMode(Mode.PLAIN));
        }
    }

    private static void stop(Server server, Tally tally) {
        server.stop();
        tally.print();
        if (tally.inHand() > 0) {
            System.err.println(
                    "echo server: %d messages were not sent back whole: nobody took the answers"
                            .formatted(tally.inHand()));
        }
    }

    /// An error with what failed, and why.
    static IOException cannotListen(String host, int port, Exception cause) {
        String why =
                cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return new IOException("cannot listen on %s:%d: %s".formatted(host, port, why), cause);
    }
}
