import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/// An HTTP server with so many workers, each of which is blocked for so long by a request.
///
/// Arguments: port, backlog, workers, milliseconds.
final class PoolServer {
    private PoolServer() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        int backlog = Integer.parseInt(arguments[1]);
        int workers = Integer.parseInt(arguments[2]);
        long millis = Long.parseLong(arguments[3]);
        byte[] body = {'o', 'k', '\n'};
        HttpServer server = HttpServer.create(new InetSocketAddress(port), backlog);
        server.createContext(
                "/",
                exchange -> {
                    try {
                        Thread.sleep(millis);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.setExecutor(Executors.newFixedThreadPool(workers));
        server.start();
    }
}
