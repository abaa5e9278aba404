package wallfinder.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// A service that works on one request at a time, 5 ms each, so that a few connections reach its
/// wall. A test may also run it in its own JVM.
public final class TinyServer implements AutoCloseable {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(US_ASCII);
    private static final int REPORT_AT = 500;
    private static final int WORK_MILLIS = 5;

    private final ServerSocket listener;
    private final Semaphore worker = new Semaphore(1);
    private final AtomicLong answered = new AtomicLong();

    TinyServer(int port) throws IOException {
        listener = new ServerSocket(port, 128, InetAddress.getByName("0.0.0.0"));
        Thread.ofPlatform().daemon().name("tiny-server").start(this::accept);
    }

    /// Arguments: `PORT`, or `exit` to fail at once; then optionally a program to start, too.
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("exit")) {
            System.out.println("there is no licence for this service");
            System.exit(7);
        }
        if (arguments.length > 1) {
            new ProcessBuilder(arguments[1].split(" ")).start();
        }
        try (TinyServer server = new TinyServer(Integer.parseInt(arguments[0]))) {
            System.out.println("listens on " + server.port() + " in process group " + group());
            Thread.currentThread().join();
        }
    }

    /// proc(5): the fifth field of stat, the third after the name in parentheses.
    private static String group() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[2];
    }

    long answered() {
        return answered.get();
    }

    int port() {
        return listener.getLocalPort();
    }

    String url() {
        return "http://127.0.0.1:" + port() + "/";
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // The listener was closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    work();
                    socket.getOutputStream().write(ANSWER);
                    if (answered.incrementAndGet() == REPORT_AT) {
                        System.out.println("answered " + REPORT_AT);
                    }
                }
            }
        } catch (IOException e) {
            // The client closed.
        }
    }

    private void work() {
        worker.acquireUninterruptibly();
        try {
            Thread.sleep(WORK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            worker.release();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
