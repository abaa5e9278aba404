package wallfinder.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.time.Duration;
import javax.net.ssl.SSLSocket;

/// Connections without a request, one after the other. They show what a connection costs a service,
/// and what its TLS handshake adds.
public final class BareConnections {
    /// A service that needs longer for one connection gets too few of them to show its cost.
    private static final Duration STEP_MAX = Duration.ofMillis(200);

    /// A service has little to say after a handshake.
    private static final int READS_MAX = 16;

    /// No handshake waits more often than this for its next packet.
    private static final int STEPS_MAX = 40;

    private static final int BUFFER_BYTES = 1 << 12;

    private final InetSocketAddress target;
    private final TlsPlan tls;

    private BareConnections(InetSocketAddress target, TlsPlan tls) {
        this.target = target;
        this.tls = tls;
    }

    /// @param count how many of them succeeded
    /// @param seconds how long they took together
    public record Done(long count, double seconds) {
        static final Done NONE = new Done(0, 0);
    }

    private interface Step {
        void take(Socket socket) throws IOException;
    }

    /// Connects and closes.
    ///
    /// @param max how many connections at most
    /// @param longest no connection begins after this time
    public static Done connect(LoadPlan load, long max, Duration longest) {
        return repeat(load, max, longest, false);
    }

    /// Connects, makes a full handshake and closes. Ends at the first one that fails.
    public static Done shake(LoadPlan load, long max, Duration longest) {
        return repeat(load, max, longest, true);
    }

    private static Done repeat(LoadPlan load, long max, Duration longest, boolean shaken) {
        TlsPlan tls = load.tls();
        if (tls == null || !(load.target() instanceof InetSocketAddress target)) {
            return Done.NONE;
        }
        BareConnections connections = new BareConnections(target, tls);
        Step step = shaken ? connections::shakeAndClose : BareConnections::closeFirst;
        Done[] done = {Done.NONE};
        ClientThread.run(
                load.engineThreads(),
                longest.plus(STEP_MAX.multipliedBy(STEPS_MAX)),
                () -> done[0] = connections.repeat(step, max, longest.toNanos()));
        return done[0];
    }

    private Done repeat(Step step, long max, long nanosMax) {
        long start = System.nanoTime();
        long count = 0;
        try {
            while (count < max && System.nanoTime() - start < nanosMax) {
                try (Socket socket = new Socket(Proxy.NO_PROXY)) {
                    socket.connect(target, (int) STEP_MAX.toMillis());
                    // Otherwise small records wait for an acknowledgement, which takes 40 ms.
                    socket.setTcpNoDelay(true);
                    socket.setSoTimeout((int) STEP_MAX.toMillis());
                    step.take(socket);
                }
                count++;
            }
        } catch (IOException _) {
            // The load counts such failures and their kinds. What succeeded so far counts here.
        }
        return new Done(count, (System.nanoTime() - start) / 1e9);
    }

    /// Returns when the service has closed, too. Until then it may still work on the connection.
    private static void closeFirst(Socket socket) throws IOException {
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        byte[] buffer = new byte[BUFFER_BYTES];
        int reads = 0;
        while (reads < READS_MAX && in.read(buffer) >= 0) {
            reads++;
        }
    }

    /// A new context has no session to resume.
    private void shakeAndClose(Socket socket) throws IOException {
        var factory = tls.context(tls.identity(), new TlsWitness(tls.trust())).getSocketFactory();
        try (SSLSocket shaken =
                (SSLSocket) factory.createSocket(socket, tls.host(), tls.port(), true)) {
            shaken.setSSLParameters(tls.parameters());
            shaken.startHandshake();
            closeInOrder(shaken);
        }
    }

    /// The handshake counts even if the connection does not end in order.
    private static void closeInOrder(SSLSocket shaken) {
        try {
            closeFirst(shaken);
        } catch (IOException _) {
            // In TLS 1.2 a connection may end in both directions at once (RFC 5246, section 7.2.1).
        }
    }
}
