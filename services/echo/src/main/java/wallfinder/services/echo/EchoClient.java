package wallfinder.services.echo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Holds connections to an echo server, with a virtual thread for each, and sends a number over
/// each of them regularly. The first fault ends the client with status 1.
public final class EchoClient {
    static final String USAGE =
            "arguments: [host=localhost] [port=8000] [portCount=1] [connectionsPerPort=1]"
                    + " [socketTimeout=10000] [warmUp=1000] [sleep=1000] [duration=0]"
                    + "; times in ms; a duration of 0 has no end";

    private static final int MESSAGE_BYTES = 4;

    private final Plan plan;
    private final InetAddress host;
    private final Tally tally = new Tally();
    private final CompletableFuture<String> fault = new CompletableFuture<>();

    private EchoClient(Plan plan, InetAddress host) {
        this.plan = plan;
        this.host = host;
    }

    public static void main(String[] args) throws InterruptedException {
        try {
            Plan plan = Plan.parse(args);
            System.exit(new EchoClient(plan, plan.address()).run());
        } catch (IllegalArgumentException wrong) {
            Arguments.refuse("echo client", wrong, USAGE);
        }
    }

    private int run() throws InterruptedException {
        Thread last = new Thread(tally::print, "stop");
        Runtime.getRuntime().addShutdownHook(last);
        Thread.ofPlatform().daemon().name("start").start(this::startAll);
        while (plan.durationMillis == 0 || tally.elapsedMillis() < plan.durationMillis) {
            try {
                System.err.println(
                        "echo client: " + fault.get(pauseMillis(), TimeUnit.MILLISECONDS));
                return 1;
            } catch (TimeoutException allIsWell) {
                tally.print();
            } catch (ExecutionException impossible) {
                throw new AssertionError(impossible);
            }
        }
        return 0;
    }

    private long pauseMillis() {
        long untilLine = tally.untilNextLineMillis();
        return plan.durationMillis == 0
                ? untilLine
                : Math.max(0, Math.min(untilLine, plan.durationMillis - tally.elapsedMillis()));
    }

    /// Connections go to the ports in turn, so that all ports fill evenly.
    private void startAll() {
        for (int i = 0; i < plan.connections(); i++) {
            int id = i;
            Thread.startVirtualThread(() -> hold(id));
        }
    }

    private void hold(int id) {
        int port = plan.port + id % plan.portCount;
        try (Socket socket = new Socket()) {
            Thread.sleep(random(plan.warmUpMillis));
            socket.connect(new InetSocketAddress(host, port), plan.socketTimeoutMillis);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(plan.socketTimeoutMillis);
            tally.connected();
            converse(socket, ByteBuffer.allocate(MESSAGE_BYTES).putInt(id).array());
        } catch (SocketTimeoutException late) {
            fail(id, port, "nothing came for " + plan.socketTimeoutMillis + " ms");
        } catch (IOException | InterruptedException | OutOfMemoryError broken) {
            fail(id, port, broken.getMessage());
        }
    }

    private static long random(int bound) {
        return bound == 0 ? 0 : ThreadLocalRandom.current().nextLong(bound);
    }

    private void converse(Socket socket, byte[] message) throws IOException, InterruptedException {
        OutputStream out = socket.getOutputStream();
        InputStream in = socket.getInputStream();
        byte[] answer = new byte[MESSAGE_BYTES];
        while (true) {
            out.write(message);
            int read = in.readNBytes(answer, 0, MESSAGE_BYTES);
            if (read < MESSAGE_BYTES) {
                throw new IOException("the server closed after " + read + " bytes of an answer");
            }
            int sent = ByteBuffer.wrap(message).getInt();
            int received = ByteBuffer.wrap(answer).getInt();
            if (sent != received) {
                throw new IOException("%d was sent, and %d came back".formatted(sent, received));
            }
            tally.exchanged();
            Thread.sleep(plan.sleepMillis);
        }
    }

    /// Records the first fault, which the client prints.
    private void fail(int id, int port, String why) {
        fault.complete("connection %d to port %d: %s".formatted(id, port, why));
    }

    /// The arguments of the client.
    ///
    /// @param socketTimeoutMillis how long a connect or an answer may take
    /// @param warmUpMillis connections begin at random moments within this time
    /// @param sleepMillis the pause of a connection between two messages
    /// @param durationMillis the time after which the client ends with status 0; 0 for no end
    record Plan(
            String host,
            int port,
            int portCount,
            int connectionsPerPort,
            int socketTimeoutMillis,
            int warmUpMillis,
            int sleepMillis,
            int durationMillis) {
        static Plan parse(String... args) {
            Arguments given = new Arguments(Set.of(), 8, args);
            Plan plan =
                    new Plan(
                            given.text("host", "localhost"),
                            given.number("port", 8_000, 1, 65_535),
                            given.number("portCount", 1, 1, 65_535),
                            given.number("connectionsPerPort", 1, 1, Integer.MAX_VALUE),
                            given.number("socketTimeout", 10_000, 1, Integer.MAX_VALUE),
                            given.number("warmUp", 1_000, 0, Integer.MAX_VALUE),
                            given.number("sleep", 1_000, 0, Integer.MAX_VALUE),
                            given.number("duration", 0, 0, Integer.MAX_VALUE));
            if (plan.port + plan.portCount - 1 > 65_535) {
                throw new IllegalArgumentException("portCount goes beyond port 65535");
            }
            if ((long) plan.portCount * plan.connectionsPerPort > Integer.MAX_VALUE) {
                throw new IllegalArgumentException(
                        "portCount times connectionsPerPort goes beyond the ids of four bytes");
            }
            return plan;
        }

        int connections() {
            return portCount * connectionsPerPort;
        }

        InetAddress address() {
            try {
                return InetAddress.getByName(host);
            } catch (UnknownHostException unknown) {
                throw new IllegalArgumentException("there is no host '" + host + "'", unknown);
            }
        }
    }
}
