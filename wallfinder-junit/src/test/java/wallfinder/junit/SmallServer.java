package wallfinder.junit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// A service in the JVM of the test: two threads, each of which works on a request for 20 ms.
final class SmallServer implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int ANSWER_MILLIS = 20;

    private final Semaphore never = new Semaphore(0);
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final HttpServer server;

    SmallServer() {
        try {
            server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        server.setExecutor(threads);
        server.createContext(
                "/",
                exchange -> {
                    byte[] answer = "ok".getBytes(UTF_8);
                    try {
                        never.tryAcquire(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
