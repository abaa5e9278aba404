package wallfinder.services.echo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// Connections of the server to itself, before it listens. They load what waiting for a socket
/// needs: the JDK opens descriptors for that, and there may be none left when the first client has
/// to wait. They also make the JVM compile what a connection does: the frames of an idle connection
/// stay as they were when it began, and compiled ones are a fraction of interpreted ones.
final class Rehearsal {
    private static final int CONNECTIONS = 100;
    private static final int MESSAGES = 20;

    private Rehearsal() {}

    static void run(int bufferSize) {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Tally unseen = new Tally();
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
                    Thread.startVirtualThread(
                            new Connection(listener.accept(), bufferSize, unseen));
                    converse(client);
                    // A reset leaves nothing in TIME_WAIT.
                    client.setOption(StandardSocketOptions.SO_LINGER, 0);
                }
            }
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
