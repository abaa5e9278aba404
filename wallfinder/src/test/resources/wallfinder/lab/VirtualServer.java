import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/// An HTTP server with a virtual thread for each request, which waits for a while.
///
/// Arguments: port, milliseconds, and how a thread waits: in its own `synchronized` block, `free`, or
/// with a limit on how many wait at a time.
final class VirtualServer {
    private VirtualServer() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        long millis = Long.parseLong(arguments[1]);
        String how = arguments[2];
        Semaphore places = how.matches("\\d+") ? new Semaphore(Integer.parseInt(how)) : null;
        byte[] body = {'o', 'k', '\n'};
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 1024);
        server.createContext(
                "/",
                exchange -> {
                    try {
                        if (places != null) {
                            places.acquire();
                            Thread.sleep(millis);
                            places.release();
                        } else if (how.equals("synchronized")) {
                            synchronized (exchange) {
                                Thread.sleep(millis);
                            }
                        } else {
                            Thread.sleep(millis);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }
}
