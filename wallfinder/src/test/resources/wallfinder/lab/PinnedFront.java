import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;

/// An HTTP server with a virtual thread for each connection. For each request it sends one to another
/// server, over its own connection.
///
/// Arguments: port, the other server's port, and how it guards that connection: `synchronized` or
/// `lock`.
final class PinnedFront {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
                    .getBytes(StandardCharsets.US_ASCII);
    private static final byte[] QUESTION =
            "GET / HTTP/1.1\r\nHost: behind\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ReentrantLock lock = new ReentrantLock();
    private final Socket behind;
    private final BufferedReader answers;

    private PinnedFront(int port) throws IOException {
        behind = new Socket("127.0.0.1", port);
        answers = reader(behind);
    }

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[1]);
        boolean pins = arguments[2].equals("synchronized");
        try (ServerSocket listener = new ServerSocket(Integer.parseInt(arguments[0]), 1024)) {
            System.out.println("ready");
            while (true) {
                Socket socket = listener.accept();
                Thread.ofVirtual().start(() -> serve(socket, port, pins));
            }
        }
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    private static void serve(Socket socket, int port, boolean pins) {
        try (socket) {
            PinnedFront front = new PinnedFront(port);
            try (Socket opened = front.behind) {
                BufferedReader in = reader(socket);
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.isEmpty()) {
                        front.ask(pins);
                        socket.getOutputStream().write(ANSWER);
                    }
                }
            }
        } catch (IOException e) {
            // The client or the other server is gone.
        }
    }

    private void ask(boolean pins) throws IOException {
        if (pins) {
            synchronized (this) {
                exchange();
            }
            return;
        }
        lock.lock();
        try {
            exchange();
        } finally {
            lock.unlock();
        }
    }

    private void exchange() throws IOException {
        behind.getOutputStream().write(QUESTION);
        for (String line = answers.readLine(); !"ok".equals(line); line = answers.readLine()) {
            if (line == null) {
                throw new IOException("closed");
            }
        }
    }
}
