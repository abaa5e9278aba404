package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/// A web server on a unix socket.
public final class UnixServer implements AutoCloseable {
    public final AtomicLong connections = new AtomicLong();
    public final AtomicLong answers = new AtomicLong();
    private final ServerSocketChannel listener;

    /// @param accepts false: it never accepts
    public UnixServer(Path path, int backlog, boolean accepts) throws IOException {
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path), backlog);
        if (accepts) {
            Thread.ofPlatform().daemon().start(this::accept);
        }
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel channel = listener.accept();
                connections.incrementAndGet();
                Thread.ofPlatform().daemon().start(() -> serve(channel));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(SocketChannel channel) {
        ByteBuffer in = ByteBuffer.allocate(4096);
        try (channel) {
            while (channel.read(in.clear()) > 0) {
                String request =
                        new String(in.array(), 0, in.position(), StandardCharsets.US_ASCII);
                boolean close = request.contains("Connection: close");
                answers.incrementAndGet();
                channel.write(
                        StandardCharsets.US_ASCII.encode(
                                close ? ScriptedServer.OK_CLOSE : ScriptedServer.OK));
                if (close) {
                    return;
                }
            }
        } catch (IOException e) {
            // the client closed the connection
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
