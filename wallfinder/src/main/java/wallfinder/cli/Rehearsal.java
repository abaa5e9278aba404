package wallfinder.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// The training run from which the build makes the JVM's cache (JEP 483): the usual commands with a
/// small server on the loopback. It writes only to the working directory.
final class Rehearsal {
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK".getBytes(StandardCharsets.US_ASCII);

    private static final int REQUEST_BYTES_MAX = 4096;
    private static final int BACKLOG = 16;

    private Rehearsal() {}

    public static void main(String[] arguments) throws IOException {
        Thread.ofPlatform().daemon().start(Rehearsal::endAnyway);
        try (ServerSocket server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(server));
            Files.createDirectories(Path.of("runs"));
            load(server.getLocalPort());
        }
        Main.main(new String[] {"--help"});
    }

    private static void load(int port) {
        String url = "http://127.0.0.1:" + port + "/";
        Main.execute("load", "-c", "2", "-d", "300ms", url);
        Main.execute("load", "--rate", "200", "-d", "300ms", "--json", "run.json", url);
        Main.execute("load", "-H", "wrong", url);
        Main.execute("load", "--help");
        Main.execute("explain", "cpu");
    }

    private static void endAnyway() {
        LockSupport.parkNanos(LONGEST.toNanos());
        Runtime.getRuntime().halt(1);
    }

    private static void serve(ServerSocket server) {
        try {
            while (true) {
                Socket socket = server.accept();
                Thread.ofPlatform().daemon().start(() -> answer(socket));
            }
        } catch (IOException e) {
            // The rehearsal closed the server.
        }
    }

    private static void answer(Socket socket) {
        byte[] request = new byte[REQUEST_BYTES_MAX];
        try (socket) {
            InputStream in = socket.getInputStream();
            while (in.read(request) > 0) {
                socket.getOutputStream().write(ANSWER);
            }
        } catch (IOException e) {
            // The client closed.
        }
    }
}
