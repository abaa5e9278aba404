package wallfinder.services.cxf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Server and client in one process.
@Timeout(60)
class CxfTest {
    private static final Logger LOGS = Logger.getLogger("");
    private static final String JSON = "application/json";
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeAll
    static void quiet() {
        LOGS.setLevel(Level.OFF);
    }

    @Test
    void a_customer_is_105_bytes_of_xml_or_a_line_of_json() throws Exception {
        try (CxfServer server = started()) {
            HttpResponse<String> xml = asked(server, "GET", "/123", "application/xml", "");
            assertThat(xml.statusCode()).isEqualTo(200);
            assertThat(xml.body())
                    .hasSize(105)
                    .endsWith("<Customer><id>123</id><name>John</name></Customer>");
            assertThat(asked(server, "GET", "/123", JSON, "").body())
                    .isEqualTo("{\"id\":123,\"name\":\"John\"}");
            assertThat(status(server, "GET", 122)).isEqualTo(404);
            assertThat(asked(server, "PUT", "", JSON, "{\"id\":123}").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void customers_are_added_changed_and_removed_and_the_oldest_is_dropped() throws Exception {
        try (CxfServer server = started("--customers=2")) {
            for (int id = 124; id <= 126; id++) {
                assertThat(asked(server, "POST", "", JSON, "{\"name\":\"Ann\"}").body())
                        .isEqualTo("{\"id\":%d,\"name\":\"Ann\"}", id);
            }
            assertThat(status(server, "GET", 124)).isEqualTo(404);
            assertThat(status(server, "GET", 125)).isEqualTo(200);
            String changed = "{\"id\":126,\"name\":\"Bob\"}";
            assertThat(asked(server, "PUT", "", JSON, changed).statusCode()).isEqualTo(200);
            assertThat(asked(server, "GET", "/126", JSON, "").body()).isEqualTo(changed);
            assertThat(status(server, "DELETE", 126)).isEqualTo(200);
            assertThat(status(server, "DELETE", 126)).isEqualTo(304);
        }
    }

    static Stream<Arguments> ways() {
        List<Arguments> ways = new ArrayList<>();
        for (String operation : List.of("get", "post", "put", "delete")) {
            for (String format : List.of("xml", "json")) {
                for (boolean https : List.of(false, true)) {
                    ways.add(Arguments.of(https, List.of(operation, "--accept=" + format)));
                }
            }
        }
        for (String consume : List.of("close", "read", "buffer")) {
            for (String conduit : List.of("httpclient", "urlconnection")) {
                String how = "--consume=" + consume;
                ways.add(Arguments.of(true, List.of("get", how, "--conduit=" + conduit)));
                ways.add(Arguments.of(false, List.of("post", how, "--conduit=" + conduit)));
            }
        }
        return ways.stream();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void every_request_of_the_client_is_answered(boolean https, List<String> words)
            throws Exception {
        List<String> all = new ArrayList<>(words);
        try (CxfServer server = https ? started("--https") : started()) {
            all.addAll(List.of("--url=" + url(server, https), "--threads=3", "--count=10"));
            Totals totals = driven(all);
            assertThat(totals.errors()).isEmpty();
            assertThat(totals.requests()).isEqualTo(10);
            assertThat(totals.threads().stream().map(ThreadTally::answered))
                    .containsExactly(4L, 3L, 3L);
        }
    }

    @Test
    void failures_are_counted_by_kind_and_the_first_may_end_the_run() throws Exception {
        String none;
        try (CxfServer server = started()) {
            none = "--url=" + url(server, false) + "/none";
            assertThat(driven(List.of(none, "--count=3")).errors())
                    .containsExactly(entry("status-404", 3L));
            List<String> untilTheFirst = List.of(none, "--count=9", "--stop-on-error");
            assertThat(driven(untilTheFirst).failed()).isEqualTo(1);
        }
        Totals refused = driven(List.of(none, "--threads=2", "--count=9"));
        assertThat(refused.errors()).containsExactly(entry("connect-refused", 9L));
        assertThat(refused.requests()).isZero();
    }

    @Test
    void the_warm_up_is_not_counted_and_the_time_is_wall_clock_time() throws Exception {
        try (CxfServer server = started()) {
            String url = "--url=" + url(server, false);
            long start = System.nanoTime();
            Totals totals =
                    driven(List.of("put", url, "--threads=4", "--time=300ms", "--warmup=200ms"));
            double whole = (System.nanoTime() - start) / 1e9;
            assertThat(totals.requests()).isPositive();
            assertThat(totals.seconds()).isPositive().isLessThanOrEqualTo(whole - 0.2);
            List<String> lines = totals.lines();
            assertThat(lines.subList(0, 4))
                    .allSatisfy(line -> assertThat(line).startsWith("thread "));
            assertThat(lines).contains("threads: 4", "requests: " + totals.requests(), "errors: 0");
        }
    }

    /// The server sends the head of a response before its body, so that a client that closes the
    /// response unread has to close the connection.
    @Test
    void the_warm_up_reads_its_responses_whatever_the_measured_requests_do() throws Exception {
        Set<InetSocketAddress> clients = ConcurrentHashMap.newKeySet();
        AtomicLong answered = new AtomicLong();
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> answerSlowly(exchange, clients, answered));
        server.start();
        try {
            String url = "--url=http://127.0.0.1:" + server.getAddress().getPort();
            Totals totals =
                    driven(List.of("get", url, "--warmup=1s", "--count=1", "--consume=close"));
            assertThat(totals.requests()).isEqualTo(1);
            assertThat(answered.get()).isGreaterThan(1);
            assertThat(clients).hasSize(1);
        } finally {
            server.stop(0);
        }
    }

    private static void answerSlowly(
            HttpExchange exchange, Set<InetSocketAddress> clients, AtomicLong answered)
            throws IOException {
        byte[] body = "<Customer><id>123</id><name>John</name></Customer>".getBytes(UTF_8);
        clients.add(exchange.getRemoteAddress());
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.flush();
            answered.incrementAndGet();
            LockSupport.parkNanos(20_000_000);
            out.write(body);
        }
    }

    private static Totals driven(List<String> words) throws InterruptedException {
        ClosedLoop loop = new ClosedLoop(ClientOptions.parse(words.toArray(new String[0])));
        loop.start();
        assertThat(loop.await(30_000_000_000L)).as("ended").isTrue();
        return loop.totals();
    }

    private static String url(CxfServer server, boolean https) {
        return (https ? "https" : "http") + "://127.0.0.1:" + server.port();
    }

    private static int status(CxfServer server, String method, long id) throws Exception {
        return asked(server, method, "/" + id, "application/xml", "").statusCode();
    }

    private static HttpResponse<String> asked(
            CxfServer server, String method, String id, String type, String body) throws Exception {
        String url = url(server, false) + "/customerservice/customers" + id;
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        if (body.isEmpty()) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.header("Content-Type", type);
            request.method(method, HttpRequest.BodyPublishers.ofString(body));
        }
        return HTTP.send(
                request.header("Accept", type).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static CxfServer started(String... words) throws Exception {
        String[] all = Arrays.copyOf(words, words.length + 2);
        all[words.length] = "--host=127.0.0.1";
        all[words.length + 1] = "--port=0";
        return CxfServer.start(ServerOptions.parse(all));
    }
}
