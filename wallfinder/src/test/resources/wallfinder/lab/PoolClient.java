import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/// An HTTP client with a closed loop in each thread, and a pool of connections.
///
/// Arguments: host, port, threads, connections, seconds.
final class PoolClient {
    private static final LongAdder answered = new LongAdder();

    private PoolClient() {}

    public static void main(String[] arguments) throws Exception {
        String host = arguments[0];
        int port = Integer.parseInt(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        int connections = Integer.parseInt(arguments[3]);
        double seconds = Double.parseDouble(arguments[4]);
        BlockingQueue<Socket> pool = new ArrayBlockingQueue<>(connections, true);
        for (int i = 0; i < connections; i++) {
            pool.add(new Socket(host, port));
        }
        byte[] question =
                ("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
        long start = System.nanoTime();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            callers.add(
                    Thread.ofPlatform()
                            .name("caller-" + i)
                            .start(() -> call(pool, question, start + (long) (seconds * 1e9))));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        System.out.printf(
                "answered: %d seconds: %.3f%n", answered.sum(), (System.nanoTime() - start) / 1e9);
    }

    private static void call(BlockingQueue<Socket> pool, byte[] question, long end) {
        try {
            while (System.nanoTime() - end < 0) {
                Socket socket = pool.take();
                socket.getOutputStream().write(question);
                readAnswer(socket.getInputStream());
                pool.put(socket);
                answered.increment();
            }
        } catch (IOException | InterruptedException e) {
            System.err.println(e);
        }
    }

    /// The server's answers end with `ok` and a newline.
    private static void readAnswer(InputStream in) throws IOException {
        byte[] buffer = new byte[1024];
        int length = 0;
        while (length < 3 || buffer[length - 1] != '\n' || buffer[length - 3] != 'o') {
            int got = in.read(buffer, length, buffer.length - length);
            if (got < 0) {
                throw new IOException("closed");
            }
            length += got;
        }
    }
}
