package wallfinder.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// Answers each read with one response, on one thread, for tests that need very many answers.
final class QuickServer implements AutoCloseable {
    private static final int BACKLOG = 4096;

    private final Selector selector;
    private final ServerSocketChannel listener;
    private final ByteBuffer in = ByteBuffer.allocateDirect(4096);
    private final ByteBuffer out;
    private final boolean kept;
    private final Thread thread;

    QuickServer(boolean kept) {
        this.kept = kept;
        String answer = kept ? ScriptedServer.OK : ScriptedServer.OK_CLOSE;
        out = ByteBuffer.allocateDirect(answer.length());
        out.put(answer.getBytes(StandardCharsets.US_ASCII));
        try {
            selector = Selector.open();
            listener = ServerSocketChannel.open();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = Thread.ofPlatform().daemon().start(this::serve);
    }

    InetSocketAddress address() {
        try {
            return (InetSocketAddress) listener.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve() {
        try {
            while (listener.isOpen()) {
                selector.select(this::serve);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept();
            } else {
                answer((SocketChannel) key.channel());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() throws IOException {
        SocketChannel peer = listener.accept();
        while (peer != null) {
            peer.configureBlocking(false);
            peer.setOption(StandardSocketOptions.TCP_NODELAY, true);
            peer.register(selector, SelectionKey.OP_READ);
            peer = listener.accept();
        }
    }

    private void answer(SocketChannel peer) throws IOException {
        boolean asked;
        try {
            asked = peer.read(in.clear()) > 0;
            if (asked) {
                peer.write(out.rewind());
            }
        } catch (IOException _) {
            asked = false; // the client went away
        }
        if (!asked || !kept) {
            peer.close();
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            selector.wakeup();
            thread.join(10_000);
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
