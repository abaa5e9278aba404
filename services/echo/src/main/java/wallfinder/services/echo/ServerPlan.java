package wallfinder.services.echo;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Set;

/// The arguments of the server.
///
/// @param loopsMax the largest number of threads that wait for events, in the modes that have such
///   threads
/// @param gatherMicros how long such a thread rests after a few events, so that the next wait
///   returns several events
/// @param port the first port; 0 for a free one
/// @param backlog the backlog of each listener; 0 for the JDK's own
/// @param bufferSize how many bytes the server reads and sends back at a time
record ServerPlan(
        Mode mode,
        int loopsMax,
        int gatherMicros,
        String host,
        int port,
        int portCount,
        int backlog,
        int bufferSize) {
    static final String USAGE =
            "arguments: [--mode=plain|lean|raw] [--loops=256] [--gather=200] [host=0.0.0.0]"
                    + " [port=8000] [portCount=1] [backlog=0] [bufferSize=32]; a backlog of 0 is"
                    + " the JDK's own, 50";

    private static final int JDK_BACKLOG = 50;

    static ServerPlan parse(String... args) {
        Arguments given = new Arguments(Set.of("mode", "loops", "gather"), 5, args);
        ServerPlan plan =
                new ServerPlan(
                        given.option("mode", Mode.PLAIN),
                        given.option("loops", 256, 1, 4_096),
                        given.option("gather", 200, 0, 999_999),
                        given.text("host", "0.0.0.0"),
                        given.number("port", 8_000, 0, 65_535),
                        given.number("portCount", 1, 1, 65_535),
                        given.number("backlog", 0, 0, Integer.MAX_VALUE),
                        given.number("bufferSize", 32, 1, 1 << 24));
        if (plan.port + plan.portCount - 1 > 65_535) {
            throw new IllegalArgumentException("portCount goes beyond port 65535");
        }
        return plan;
    }

    ServerPlan inMode(Mode other) {
        return new ServerPlan(
                other, loopsMax, gatherMicros, host, port, portCount, backlog, bufferSize);
    }

    /// A private server of the same kind.
    ServerPlan forRehearsal() {
        return new ServerPlan(mode, 1, 0, "localhost", 0, 1, 0, bufferSize);
    }

    InetAddress address() throws UnknownHostException {
        return InetAddress.getByName(host);
    }

    /// The port of this listener. The first listener may have a free port that the kernel chose.
    ///
    /// @param first the port of the first listener
    int port(int listener, int first) {
        return listener == 0 ? port : first + listener;
    }

    int queue() {
        return backlog == 0 ? JDK_BACKLOG : backlog;
    }

    /// The text that the server prints when it listens.
    String shown(int first) {
        String ports = portCount == 1 ? "" + first : first + "-" + (first + portCount - 1);
        return host + ":" + ports + " (" + mode.name().toLowerCase(Locale.ROOT) + ")";
    }
}
