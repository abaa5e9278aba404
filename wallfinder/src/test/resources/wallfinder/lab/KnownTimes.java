import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;

/// An HTTP server whose answers take known times: `KnownTimes.java PORT WORKERS PART=VALUE...`.
///
/// `WORKERS` is a number of platform threads, or `virtual` for a virtual thread for each request. The parts follow
/// one upon another: `cpu`, `sleep`, `lock` (a ReentrantLock around a sleep) and `monitor` (the same with
/// `synchronized`) have milliseconds; `ask` has the port of another server, whose answer it waits for; `log` writes
/// kilobytes to the standard output, and `sync` writes kilobytes to a file on the disk.
final class KnownTimes {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Object MONITOR = new Object();
    private static final FileChannel DISK = disk();
    private static final byte[] ANSWER = {'o', 'k', '\n'};

    private KnownTimes() {}

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(arguments[0])), 1024);
        server.setExecutor(
                arguments[1].equals("virtual")
                        ? Executors.newVirtualThreadPerTaskExecutor()
                        : Executors.newFixedThreadPool(Integer.parseInt(arguments[1])));
        server.createContext(
                "/",
                exchange -> {
                    for (int i = 2; i < arguments.length; i++) {
                        String[] part = arguments[i].split("=");
                        spend(part[0], Double.parseDouble(part[1]));
                    }
                    exchange.sendResponseHeaders(200, ANSWER.length);
                    exchange.getResponseBody().write(ANSWER);
                    exchange.close();
                });
        server.start();
        System.out.println("ready");
    }

    private static void spend(String part, double value) throws IOException {
        switch (part) {
            case "cpu" -> burn(value);
            case "sleep" -> pause(value);
            case "lock" -> {
                LOCK.lock();
                try {
                    pause(value);
                } finally {
                    LOCK.unlock();
                }
            }
            case "monitor" -> {
                synchronized (MONITOR) {
                    pause(value);
                }
            }
            case "log" -> System.out.println("x".repeat((int) (1024 * value)));
            case "sync" -> sync((int) (1024 * value));
            case "ask" -> ask((int) value);
            default -> throw new IllegalArgumentException(part);
        }
    }

    private static void burn(double millis) {
        long end = THREADS.getCurrentThreadCpuTime() + (long) (millis * 1e6);
        while (THREADS.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static void pause(double millis) {
        try {
            Thread.sleep((long) millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void sync(int bytes) throws IOException {
        DISK.write(ByteBuffer.allocate(bytes), 0);
        DISK.force(true);
    }

    private static FileChannel disk() {
        try {
            Path file = Files.createTempFile("known-times", null);
            return FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void ask(int port) throws IOException {
        try (InputStream answer = URI.create("http://127.0.0.1:" + port + "/").toURL().openStream()) {
            answer.readAllBytes();
        }
    }
}
