import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

/// An HTTP server that keeps small objects, of which each request replaces some, and makes garbage
/// for each request.
///
/// Arguments: port, megabytes kept, pieces replaced, kilobytes of garbage.
final class GarbageServer {
    private static final int PIECE_BYTES = 64;

    /// With its header and the place in the table.
    private static final int PIECE_COSTS = PIECE_BYTES + 20;

    private GarbageServer() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        byte[][] kept = new byte[Integer.parseInt(arguments[1]) * (1 << 20) / PIECE_COSTS][];
        int replaced = Integer.parseInt(arguments[2]);
        int kilobytes = Integer.parseInt(arguments[3]);
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new byte[PIECE_BYTES];
        }
        byte[] body = {'o', 'k', '\n'};
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 1024);
        server.createContext(
                "/",
                exchange -> {
                    ThreadLocalRandom random = ThreadLocalRandom.current();
                    for (int i = 0; i < replaced; i++) {
                        kept[random.nextInt(kept.length)] = new byte[PIECE_BYTES];
                    }
                    long made = 0;
                    for (int i = 0; i < kilobytes; i++) {
                        made += new byte[1008].length;
                    }
                    exchange.getResponseHeaders().set("Made", Long.toString(made));
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.setExecutor(Executors.newFixedThreadPool(16));
        server.start();
    }
}
