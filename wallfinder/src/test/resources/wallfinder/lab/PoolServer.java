import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/// An HTTP server in which each request blocks a worker for a while.
///
/// Arguments: port, backlog, workers, milliseconds a request and, optionally, the kilobytes that a
/// request holds meanwhile, and `quiet` to answer 500 and log nothing if there is no memory.
final class PoolServer {
    private PoolServer() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        int backlog = Integer.parseInt(arguments[1]);
        int workers = Integer.parseInt(arguments[2]);
        long millis = Long.parseLong(arguments[3]);
        int kilobytes = arguments.length > 4 ? Integer.parseInt(arguments[4]) : 0;
        boolean quiet = arguments.length > 5 && arguments[5].equals("quiet");
        byte[] body = {'o', 'k', '\n'};
        HttpServer server = HttpServer.create(new InetSocketAddress(port), backlog);
        server.createContext(
                "/",
                exchange -> {
                    byte[] held;
                    try {
                        held = new byte[kilobytes * 1024];
                    } catch (OutOfMemoryError e) {
                        if (!quiet) {
                            throw e;
                        }
                        exchange.sendResponseHeaders(500, -1);
                        exchange.close();
                        return;
                    }
                    try {
                        Thread.sleep(millis);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    exchange.getResponseHeaders().set("Held", Integer.toString(held.length));
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.setExecutor(Executors.newFixedThreadPool(workers));
        server.start();
    }
}
