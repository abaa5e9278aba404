package wallfinder.synthetic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// A small echo server on one thread with kernel sockets, in the network namespace of its thread.
final class EchoServer implements AutoCloseable {
    private static final int MESSAGE_BYTES_MAX = 65_536;

    private final Selector selector = Selector.open();
    private final Thread thread;
    private volatile boolean ending;

    /// @param backlog of its listeners
    EchoServer(String address, int port, int ports, int backlog) throws IOException {
        for (int i = 0; i < ports; i++) {
            ServerSocketChannel listener = ServerSocketChannel.open();
            listener.bind(new InetSocketAddress(address, port + i), backlog);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        }
        thread = Thread.ofPlatform().name("echo").daemon().start(this::serve);
    }

    private void serve() {
        try {
            while (!ending) {
                selector.select(this::ready);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (key.channel() instanceof ServerSocketChannel listener) {
                accept(listener);
            } else {
                echo(key, (SocketChannel) key.channel());
            }
        } catch (IOException e) {
            close(key);
        }
    }

    private void accept(ServerSocketChannel listener) throws IOException {
        SocketChannel accepted = listener.accept();
        if (accepted != null) {
            accepted.configureBlocking(false);
            ByteBuffer buffer = ByteBuffer.allocate(MESSAGE_BYTES_MAX);
            accepted.register(selector, SelectionKey.OP_READ, buffer);
        }
    }

    /// The bytes before the buffer's position are read but not written.
    private static void echo(SelectionKey key, SocketChannel channel) throws IOException {
        ByteBuffer buffer = (ByteBuffer) key.attachment();
        boolean ended = channel.read(buffer) < 0;
        buffer.flip();
        channel.write(buffer);
        buffer.compact();
        key.interestOps(
                buffer.position() > 0
                        ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                        : SelectionKey.OP_READ);
        if (ended) {
            channel.close();
        }
    }

    private static void close(SelectionKey key) {
        try {
            key.channel().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws Exception {
        ending = true;
        selector.wakeup();
        thread.join();
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
