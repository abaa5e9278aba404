import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// An HTTP server with a thread for each connection and a cache. Each request adds to the cache,
/// which drops its oldest entries at its maximum.
///
/// Arguments: port, maximum in megabytes, kilobytes that a request adds, `full` to start with a full
/// cache, and the percentage of the time since the first request that collections may take. While
/// they take more, requests add nothing, so fast and slow hosts behave alike.
final class CacheServer {
    private static final int ENTRY_BYTES = 1008;
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private final Map<Long, byte[]> kept;
    private final int entriesEach;
    private final double collectedMax;
    private long next;
    private long firstMillis;
    private long collectedBefore;

    private CacheServer(int entriesMax, int entriesEach, double collectedMax) {
        this.entriesEach = entriesEach;
        this.collectedMax = collectedMax;
        kept =
                new LinkedHashMap<>(entriesMax) {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<Long, byte[]> eldest) {
                        return size() > entriesMax;
                    }
                };
    }

    public static void main(String[] arguments) throws IOException {
        int entriesMax = Integer.parseInt(arguments[1]) * 1024;
        double collectedMax = arguments.length > 4 ? Integer.parseInt(arguments[4]) / 100.0 : 1;
        CacheServer cache =
                new CacheServer(entriesMax, Integer.parseInt(arguments[2]), collectedMax);
        if (arguments.length > 3) {
            cache.add(entriesMax);
        }
        try (ServerSocket listener = new ServerSocket(Integer.parseInt(arguments[0]), 1024)) {
            System.out.println("ready");
            while (true) {
                Socket socket = listener.accept();
                Thread.ofPlatform().daemon().start(() -> cache.serve(socket));
            }
        }
    }

    private synchronized void ask() {
        long now = System.nanoTime() / 1_000_000;
        if (firstMillis == 0) {
            firstMillis = now;
            collectedBefore = collectedMillis();
        }
        if (collectedMillis() - collectedBefore <= collectedMax * (now - firstMillis)) {
            add(entriesEach);
        }
    }

    private static long collectedMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    private synchronized void add(int entries) {
        for (int i = 0; i < entries; i++) {
            kept.put(next++, new byte[ENTRY_BYTES]);
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.US_ASCII));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    ask();
                    socket.getOutputStream().write(ANSWER);
                }
            }
        } catch (IOException e) {
            // The client is gone.
        }
    }
}
