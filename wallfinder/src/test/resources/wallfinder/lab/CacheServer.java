import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// An HTTP server with a thread for each connection that keeps what it was asked for last: each
/// request puts so many kilobytes into a cache that gives up the oldest beyond so many megabytes.
///
/// Arguments: port, megabytes kept at most, kilobytes a request adds and, where it is full from the
/// start, `full`.
final class CacheServer {
    private static final int ENTRY_BYTES = 1008;
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private final Map<Long, byte[]> kept;
    private final int entriesEach;
    private long next;

    private CacheServer(int entriesMax, int entriesEach) {
        this.entriesEach = entriesEach;
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
        CacheServer cache = new CacheServer(entriesMax, Integer.parseInt(arguments[2]));
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
                    add(entriesEach);
                    socket.getOutputStream().write(ANSWER);
                }
            }
        } catch (IOException e) {
            // The client is gone.
        }
    }
}
