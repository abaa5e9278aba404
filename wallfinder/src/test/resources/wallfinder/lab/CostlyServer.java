import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.zip.CRC32;

/// An HTTP server whose answers take CPU time in four methods.
///
/// Arguments: port, microseconds of an answer, roughly, and percent of more work in `sign`.
final class CostlyServer {
    private static final byte[] TEXT = "name=value; path=/; ".repeat(50).getBytes(StandardCharsets.US_ASCII);

    private CostlyServer() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]) / 4;
        int more = rounds + rounds * Integer.parseInt(arguments[2]) / 100;
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 1024);
        server.createContext(
                "/",
                exchange -> {
                    int sum = parse(rounds) + render(rounds) + sign(more) + check(rounds);
                    byte[] body = Integer.toString(sum).getBytes(StandardCharsets.US_ASCII);
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }

    private static int parse(int rounds) {
        int found = 0;
        for (int i = 0; i < rounds; i++) {
            for (byte character : TEXT) {
                found += character == ';' ? i : 0;
            }
        }
        return found;
    }

    private static int render(int rounds) {
        char[] out = new char[TEXT.length];
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            for (int j = 0; j < out.length; j++) {
                out[j] = (char) (TEXT[j] ^ i ^ out[(j * 7) % out.length]);
            }
            sum += out[i % out.length];
        }
        return sum;
    }

    private static int sign(int rounds) {
        int hash = 1;
        for (int i = 0; i < rounds; i++) {
            for (byte character : TEXT) {
                hash = 31 * (hash << 5 | hash >>> 27) + character + i;
            }
        }
        return hash;
    }

    private static int check(int rounds) {
        CRC32 crc = new CRC32();
        for (int i = 0; i < 10 * rounds; i++) {
            crc.update(TEXT);
        }
        return (int) crc.getValue();
    }
}
