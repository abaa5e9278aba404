package wallfinder.services.echo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// A server for ourselves, before the one for others listens. It loads what waiting for a socket
/// needs: the JDK opens descriptors for that, and there may be none left when the first client has
/// to wait. It also makes the JVM compile what a connection does: the frames of an idle connection
/// stay as they were when it began, and compiled ones are a fraction of interpreted ones.
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
                    // A reset leaves nothing in TIME_WAIT.
                    client.setOption(StandardSocketOptions.SO_LINGER, 0);
                }
            }
            server.stop();
            // What this leaves behind would lie below the connections as long as nothing is
            // collected.
            System.gc();
        } catch (IOException noLoopback) {
            // The first clients then take a little longer, and more memory.
        }
    }

    private static void converse(SocketChannel client) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(Integer.BYTES);
        for (int i = 0; i < MESSAGES; i++) {
            client.write(message.clear());
            message.clear();
            while (message.hasRemaining() && client.read(message) >= 0) {
                // The rest of the answer is on its way.
            }
        }
    }
}
