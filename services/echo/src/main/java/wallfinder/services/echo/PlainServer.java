package wallfinder.services.echo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A server with a listener for each port and a virtual thread for each connection. It uses only
/// public interfaces of the JDK.
final class PlainServer implements Server {
    private static final long STOP_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

    private static final long ACCEPT_PAUSE_MILLIS = 10;
    private static final long QUIET_MILLIS = 10;

    private final List<ServerSocketChannel> listeners = new ArrayList<>();
    private final int bufferSize;
    private final Tally tally;
    private final AcceptErrorLog errorLog = new AcceptErrorLog();

    private PlainServer(int bufferSize, Tally tally) {
        this.bufferSize = bufferSize;
        this.tally = tally;
    }

    static PlainServer open(ServerPlan plan, Tally tally) throws IOException {
        PlainServer server = new PlainServer(plan.bufferSize(), tally);
        try {
            server.listen(plan);
        } catch (IOException unusable) {
            server.closeListeners();
            throw unusable;
        }
        for (ServerSocketChannel listener : server.listeners) {
            // Platform threads, so that accepting does not wait for messages on other connections.
            Thread.ofPlatform().name("accept").start(() -> server.acceptAll(listener));
        }
        return server;
    }

    private void listen(ServerPlan plan) throws IOException {
        for (int i = 0; i < plan.portCount(); i++) {
            int port = plan.port(i, i == 0 ? 0 : port());
            ServerSocketChannel listener = ServerSocketChannel.open();
            listeners.add(listener);
            try {
                // Both options take effect at bind.
                listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
                listener.bind(new InetSocketAddress(plan.host(), port), plan.queue());
            } catch (IOException | RuntimeException unusable) {
                throw EchoServer.cannotListen(plan.host(), port, unusable);
            }
        }
    }

    @Override
    public int port() {
        return listeners.getFirst().socket().getLocalPort();
    }

    /// A failure of one connection does not end the listener.
    private void acceptAll(ServerSocketChannel listener) {
        while (listener.isOpen()) {
            try {
                begin(listener.accept());
            } catch (IOException | OutOfMemoryError refused) {
                if (listener.isOpen()) {
                    errorLog.report(refused.getMessage());
                    pause(ACCEPT_PAUSE_MILLIS);
                }
            }
        }
    }

    private void begin(SocketChannel connection) throws IOException {
        tally.connected();
        try {
            connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Thread.startVirtualThread(new PlainConnection(connection, bufferSize, tally));
        } catch (IOException | OutOfMemoryError failed) {
            tally.disconnected();
            connection.close();
            throw failed;
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException unused) {
            // Nobody interrupts these threads.
            Thread.currentThread().interrupt();
        }
    }

    /// Waits until no message was answered for a moment. The kernel closes the connections when the
    /// process ends.
    @Override
    public void stop() {
        closeListeners();
        long deadline = System.nanoTime() + STOP_NANOS_MAX;
        long answered;
        do {
            answered = tally.messages();
            pause(QUIET_MILLIS);
        } while ((tally.inHand() > 0 || tally.messages() > answered)
                && System.nanoTime() - deadline < 0);
    }

    private void closeListeners() {
        for (ServerSocketChannel listener : listeners) {
            try {
                listener.close();
            } catch (IOException unused) {
                // The kernel closes it when the process ends.
            }
        }
    }
}
