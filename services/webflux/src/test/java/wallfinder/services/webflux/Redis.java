package wallfinder.services.webflux;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// An empty Redis on a free port of this machine.
final class Redis implements AutoCloseable {
    private static final long START_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    private final Process process;
    private final int port;

    private Redis(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static Optional<Path> program() {
        return Stream.concat(
                        Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":")),
                        Stream.of("/usr/bin", "/usr/sbin"))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /// Starts Redis and returns when it answers.
    static Redis started(Path folder) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            port = free.getLocalPort();
        }
        Process process =
                new ProcessBuilder(
                                program().orElseThrow().toString(),
                                "--bind",
                                "127.0.0.1",
                                "--port",
                                Integer.toString(port),
                                "--save",
                                "",
                                "--dir",
                                folder.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("redis.log").toFile())
                        .start();
        Redis redis = new Redis(process, port);
        redis.awaitStart();
        return redis;
    }

    String url() {
        return "redis://127.0.0.1:" + port;
    }

    /// The first line of the reply to a command.
    String reply(String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(UTF_8));
            StringBuilder answer = new StringBuilder();
            int next = socket.getInputStream().read();
            while (next >= 0 && next != '\r') {
                answer.append((char) next);
                next = socket.getInputStream().read();
            }
            return answer.toString();
        }
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    private void awaitStart() throws IOException {
        long deadline = System.nanoTime() + START_NANOS_MAX;
        while (true) {
            try {
                reply("PING");
                return;
            } catch (IOException notYet) {
                if (System.nanoTime() > deadline || !process.isAlive()) {
                    kill();
                    throw notYet;
                }
                Thread.onSpinWait();
            }
        }
    }
}
