package wallfinder.services.echo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Sends back what it is sent: a listener for each port, a virtual thread for each connection, and
/// nothing but the JDK's public interfaces.
public final class EchoServer {
    static final String USAGE =
            "arguments: [host=0.0.0.0] [port=8000] [portCount=1] [backlog=0] [bufferSize=32]"
                    + "; a backlog of 0 is the JDK's own, 50";

    private static final long STOP_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);
    private static final long ACCEPT_PAUSE_MILLIS = 10;
    private static final long COMPLAINT_PAUSE_MILLIS = 1_000;

    private final int bufferSize;
    private final List<ServerSocketChannel> listeners;
    private final Tally tally = new Tally();
    private final AtomicLong complainedMillis = new AtomicLong(-COMPLAINT_PAUSE_MILLIS);

    private EchoServer(List<ServerSocketChannel> listeners, int bufferSize) {
        this.listeners = listeners;
        this.bufferSize = bufferSize;
    }

    public static void main(String[] args) throws InterruptedException {
        try {
            Plan plan = Plan.parse(args);
            Rehearsal.run(plan.bufferSize());
            EchoServer server = new EchoServer(plan.listeners(), plan.bufferSize());
            Runtime.getRuntime().addShutdownHook(new Thread(server::stop, "stop"));
            server.run();
        } catch (IllegalArgumentException wrong) {
            Arguments.refuse("echo server", wrong, USAGE);
        } catch (IOException unusable) {
            System.err.println("echo server: " + unusable.getMessage());
            System.exit(1);
        }
    }

    private void run() throws InterruptedException {
        for (ServerSocketChannel listener : listeners) {
            // Platform threads: a connection must not wait to be accepted behind all that is said
            // on
            // the others.
            Thread.ofPlatform().name("accept").start(() -> acceptAll(listener));
        }
        System.out.println("listening on " + ports());
        while (true) {
            Thread.sleep(tally.untilNextLineMillis());
            tally.print();
        }
    }

    private String ports() {
        InetSocketAddress first = address(listeners.getFirst());
        int last = address(listeners.getLast()).getPort();
        String from = first.getHostString() + ":" + first.getPort();
        return first.getPort() == last ? from : from + "-" + last;
    }

    private static InetSocketAddress address(ServerSocketChannel listener) {
        return (InetSocketAddress) listener.socket().getLocalSocketAddress();
    }

    /// Whatever goes wrong with one connection, a listener goes on for as long as it is open.
    private void acceptAll(ServerSocketChannel listener) {
        while (listener.isOpen()) {
            try {
                begin(listener.accept());
            } catch (IOException | OutOfMemoryError refused) {
                if (listener.isOpen()) {
                    complain(refused);
                    pause();
                }
            }
        }
    }

    private void begin(SocketChannel connection) throws IOException {
        tally.connected();
        try {
            Thread.startVirtualThread(new Connection(connection, bufferSize, tally));
        } catch (OutOfMemoryError full) {
            tally.disconnected();
            connection.close();
            throw full;
        }
    }

    /// The descriptors are used up, or the memory: that may be over in a moment. It is told once a
    /// second, not once a try.
    private void complain(Throwable refused) {
        long now = tally.elapsedMillis();
        long before = complainedMillis.get();
        if (now - before >= COMPLAINT_PAUSE_MILLIS && complainedMillis.compareAndSet(before, now)) {
            System.err.println("echo server: no connection accepted: " + refused.getMessage());
        }
    }

    private static void pause() {
        try {
            Thread.sleep(ACCEPT_PAUSE_MILLIS);
        } catch (InterruptedException unused) {
            // Nobody interrupts these threads.
            Thread.currentThread().interrupt();
        }
    }

    /// Accepts no more, and ends when all that was read is answered, or in two seconds. The kernel
    /// closes the connections with the process.
    private void stop() {
        for (ServerSocketChannel listener : listeners) {
            try {
                listener.close();
            } catch (IOException unused) {
                // It goes with the process at the latest.
            }
        }
        long deadline = System.nanoTime() + STOP_NANOS_MAX;
        while (tally.bytesUnanswered() > 0 && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
        tally.print();
    }

    /// What the server is told.
    ///
    /// @param bufferSize how many bytes are read and sent back at a time
    record Plan(String host, int port, int portCount, int backlog, int bufferSize) {
        static Plan parse(String... args) {
            Arguments given = new Arguments(5, args);
            Plan plan =
                    new Plan(
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

        List<ServerSocketChannel> listeners() throws IOException {
            List<ServerSocketChannel> opened = new ArrayList<>(portCount);
            int first = port;
            for (int i = 0; i < portCount; i++) {
                ServerSocketChannel listener = listener(first == 0 ? 0 : first + i);
                opened.add(listener);
                first = i == 0 ? address(listener).getPort() : first;
            }
            return opened;
        }

        /// Both options count from bind on, so they are set before it.
        private ServerSocketChannel listener(int port) throws IOException {
            ServerSocketChannel listener = ServerSocketChannel.open();
            try {
                listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
                return listener.bind(new InetSocketAddress(host, port), backlog);
            } catch (IOException | RuntimeException unusable) {
                listener.close();
                throw new IOException(
                        "cannot listen on %s:%d: %s".formatted(host, port, reason(unusable)),
                        unusable);
            }
        }

        private static String reason(Exception unusable) {
            return unusable.getMessage() == null
                    ? unusable.getClass().getSimpleName()
                    : unusable.getMessage();
        }
    }
}
