package wallfinder.services.echo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// Runs a private server before the real one listens. This makes the JDK open the descriptors that
/// it needs to wait for a socket, while there are some left. It also makes the JVM compile the code
/// of a connection. The frames of an idle connection stay as they were when it began, and compiled
/// frames are much smaller than interpreted ones.
final class Rehearsal {
    private static final int CONNECTIONS = 1_000;
    private static final int MESSAGES = 5;

    private Rehearsal() {}

    /// @throws Mode.Unavailable if this host or this JVM does not have what the mode needs
    static void run(ServerPlan plan) throws Mode.Unavailable {
        try {
            Server server = plan.mode().open(plan, new Tally());
            InetSocketAddress at =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
            for (int i = 0; i < CONNECTIONS; i++) {
                try (SocketChannel client = SocketChannel.open(at)) {
                    converse(client);
                    // A reset leaves no socket in TIME_WAIT.
                    client.setOption(StandardSocketOptions.SO_LINGER, 0);
                }
            }
            server.stop();
            // Without a collection, this garbage would stay in the heap together with the
            // connections.
            System.gc();
        } catch (IOException noLoopback) {
            // Then the first clients take a little longer and need more memory.
        }
    }

    private static void converse(SocketChannel client) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(Integer.BYTES);
        for (int i = 0; i < MESSAGES; i++) {
            client.write(message.clear());
            message.clear();
            while (message.hasRemaining() && client.read(message) >= 0) {
                // Read the rest of the answer.
            }
        }
    }
}
