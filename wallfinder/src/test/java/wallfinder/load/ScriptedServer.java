package wallfinder.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/// A server on loopback that handles each connection as the test scripts it, and counts.
final class ScriptedServer implements AutoCloseable {
    static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    static final String OK_CLOSE =
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";

    interface Script {
        void serve(Visit visit) throws IOException;
    }

    final AtomicLong connections = new AtomicLong();
    final AtomicLong requests = new AtomicLong();
    final AtomicLong answers = new AtomicLong();
    final Set<Integer> clientPorts = ConcurrentHashMap.newKeySet();
    final Set<InetAddress> clientAddresses = ConcurrentHashMap.newKeySet();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ServerSocket listener;

    ScriptedServer(Script script) {
        this(InetAddress.getLoopbackAddress(), script);
    }

    ScriptedServer(InetAddress address, Script script) {
        try {
            listener = new ServerSocket(0, 4096, address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().start(() -> accept(script));
    }

    static ScriptedServer answering(String answer) {
        return new ScriptedServer(visit -> {
            while (visit.readRequest()) {
                visit.answer(answer);
            }
        });
    }

    private void accept(Script script) {
        try {
            while (true) {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                open.add(socket);
                clientPorts.add(socket.getPort());
                clientAddresses.add(socket.getInetAddress());
                long number = connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(script, socket, number));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Script script, Socket socket, long number) {
        try (socket) {
            script.serve(new Visit(socket, number));
        } catch (IOException e) {
            // the client closed the connection
        } finally {
            open.remove(socket);
        }
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A connection from the view of the server.
    final class Visit {
        final Socket socket;
        final long number;
        final InputStream in;
        final OutputStream out;

        /// The head of the last request.
        String head = "";

        byte[] body = {};

        Visit(Socket socket, long number) throws IOException {
            this.socket = socket;
            this.number = number;
            in = new BufferedInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        }

        /// The same connection through another socket.
        Visit over(Socket other) throws IOException {
            return new Visit(other, number);
        }

        /// The same connection with TLS, before the handshake.
        Visit secured(SSLContext context, Consumer<SSLSocket> settings) throws IOException {
            InputStream unread = null;
            SSLSocket tls =
                    (SSLSocket) context.getSocketFactory().createSocket(socket, unread, true);
            tls.setUseClientMode(false);
            settings.accept(tls);
            return new Visit(tls, number);
        }

        /// Reads a head and, if it has a length, a body.
        ///
        /// @return false at the end of the stream
        boolean readRequest() throws IOException {
            if (!readHead()) {
                return false;
            }
            body = in.readNBytes(length());
            requests.incrementAndGet();
            return true;
        }

        String firstLine() {
            return head.substring(0, head.indexOf("\r\n"));
        }

        int length() {
            String length = header("Content-Length");
            return length.isEmpty() ? 0 : Integer.parseInt(length);
        }

        /// Empty if the request has no such header.
        String header(String name) {
            int at = head.indexOf("\r\n" + name + ": ");
            int from = at + name.length() + 4;
            return at < 0 ? "" : head.substring(from, head.indexOf("\r\n", from));
        }

        String bodyText() {
            return new String(body, StandardCharsets.UTF_8);
        }

        /// @return false at the end of the stream
        boolean readHead() throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int c = in.read();
                if (c < 0) {
                    return false;
                }
                head.append((char) c);
            }
            this.head = head.toString();
            return true;
        }

        void answer(String text) throws IOException {
            answers.incrementAndGet();
            write(text);
        }

        void write(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }

        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        void awaitClient() throws IOException {
            while (in.read() >= 0) {
                continue;
            }
        }
    }
}
