package wallfinder.services.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.uring.IoUring;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

class WebfluxTest {
    @Test
    void a_user_that_exists_is_found_and_others_are_not() {
        try (ConfigurableApplicationContext service = started()) {
            Client client = Client.of(Webflux.port(service));
            HttpResponse<String> found = client.get("/users/100000");
            assertThat(found.statusCode()).isEqualTo(200);
            assertThat(found.headers().firstValue("Content-Type")).contains("application/json");
            assertThat(found.body())
                    .isEqualTo(
                            "{\"id\":100000,\"name\":\"user-100000\","
                                    + "\"email\":\"user-100000@example.org\"}");
            assertThat(client.get("/users/100001").statusCode()).isEqualTo(404);
            assertThat(client.get("/users/0").statusCode()).isEqualTo(404);
            assertThat(client.get("/users/one").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void echo_returns_the_request() {
        try (ConfigurableApplicationContext service = started()) {
            Client client = Client.of(Webflux.port(service));
            assertThat(client.get("/echo?a=b%20c").body()).isEqualTo("a=b%20c");
            String body = "x".repeat(1 << 20);
            HttpResponse<String> echoed = client.post("/echo", "text/plain", body);
            assertThat(echoed.body()).isEqualTo(body);
            assertThat(echoed.headers().firstValue("Content-Type")).contains("text/plain");
        }
    }

    @Test
    void an_asynchronous_lookup_leaves_the_event_loop_free() {
        try (ConfigurableApplicationContext service = started("--eventLoops=1", "--latency=60s")) {
            Client client = Client.of(Webflux.port(service));
            CompletableFuture<HttpResponse<String>> user = client.asked("/users/1");
            assertThat(client.get("/health").body()).isEqualTo("up");
            assertThat(user).isNotDone();
            user.cancel(true);
        }
    }

    @Test
    void blocking_lookups_of_one_event_loop_are_served_one_by_one() {
        Duration latency = Duration.ofMillis(50);
        int requests = 8;
        try (ConfigurableApplicationContext service =
                started("--eventLoops=1", "--lookup=blocking", "--latency=50ms")) {
            Client client = Client.of(Webflux.port(service));
            long start = System.nanoTime();
            List<CompletableFuture<HttpResponse<String>>> asked =
                    IntStream.rangeClosed(1, requests)
                            .mapToObj(id -> client.asked("/users/" + id))
                            .toList();
            asked.forEach(user -> assertThat(user.join().statusCode()).isEqualTo(200));
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isGreaterThanOrEqualTo(latency.multipliedBy(requests));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--transport=epoll",
                "--transport=io_uring",
                "--transport=nio",
                "--server=tomcat",
                "--server=jetty"
            })
    void each_server_answers_and_has_the_requested_accept_queue(String server) throws Exception {
        assumeTrue(ListenQueue.visible(), "ss (package iproute2) is not installed");
        assumeTrue(
                !server.endsWith("io_uring") || IoUring.isAvailable(), "this host has no io_uring");
        try (ConfigurableApplicationContext service = started("--backlog=77", server)) {
            assertThat(ListenQueue.limit(Webflux.port(service)))
                    .isEqualTo(Math.min(77, ListenQueue.somaxconn()));
            Client client = Client.of(Webflux.port(service));
            assertThat(client.get("/users/1").body()).contains("user-1");
            assertThat(client.get("/users/0").statusCode()).isEqualTo(404);
            String body = "y".repeat(1 << 18);
            assertThat(client.post("/echo", "text/plain", body).body()).isEqualTo(body);
            assertThat(runs(server)).isTrue();
        }
    }

    @Test
    @Timeout(30)
    void tomcat_leaves_connections_beyond_its_bound_in_the_accept_queue() throws Exception {
        assumeTrue(ListenQueue.visible(), "ss (package iproute2) is not installed");
        List<Socket> clients = new ArrayList<>();
        try (ConfigurableApplicationContext service =
                started("--server=tomcat", "--connections=2")) {
            int port = Webflux.port(service);
            for (int i = 0; i < 6; i++) {
                clients.add(new Socket("127.0.0.1", port));
            }
            while (ListenQueue.waiting(port) != 4) {
                Thread.onSpinWait();
            }
            clients.remove(0).close();
            while (ListenQueue.waiting(port) != 3) {
                Thread.onSpinWait();
            }
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    /// Recognizes a server by the names of its threads, or by a descriptor.
    private static boolean runs(String server) throws IOException {
        return switch (server) {
            case "--server=tomcat" -> hasThread("http-nio-");
            case "--server=jetty" -> hasThread("qtp");
            case "--transport=io_uring" -> hasDescriptor("anon_inode:[io_uring]");
            default -> hasThread("event-loop") && !hasDescriptor("anon_inode:[io_uring]");
        };
    }

    private static boolean hasThread(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.isAlive() && thread.getName().startsWith(prefix));
    }

    private static boolean hasDescriptor(String target) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.anyMatch(link -> target.equals(read(link)));
        }
    }

    private static String read(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException closed) {
            return "";
        }
    }

    @Test
    void the_requested_number_of_event_loops_runs() {
        try (ConfigurableApplicationContext service =
                started("--eventLoops=3", "--lookup=blocking", "--latency=1ms")) {
            Client client = Client.of(Webflux.port(service));
            List<CompletableFuture<HttpResponse<String>>> asked =
                    IntStream.rangeClosed(1, 32)
                            .mapToObj(id -> client.asked("/users/" + id))
                            .toList();
            asked.forEach(CompletableFuture::join);
            assertThat(
                            Thread.getAllStackTraces().keySet().stream()
                                    .filter(thread -> thread.getName().startsWith("event-loop")))
                    .hasSize(3);
        }
    }

    @ParameterizedTest
    @CsvSource({"tomcat, -exec-", "jetty, qtp"})
    void no_more_than_the_requested_threads_run(String server, String name) {
        try (ConfigurableApplicationContext service =
                started("--server=" + server, "--threads=9", "--lookup=blocking")) {
            Client client = Client.of(Webflux.port(service));
            List<CompletableFuture<HttpResponse<String>>> asked =
                    IntStream.rangeClosed(1, 40)
                            .mapToObj(id -> client.asked("/users/" + id))
                            .toList();
            asked.forEach(CompletableFuture::join);
            assertThat(
                            Thread.getAllStackTraces().keySet().stream()
                                    .filter(thread -> thread.getName().contains(name)))
                    .hasSizeBetween(8, 9);
        }
    }

    static ConfigurableApplicationContext started(String... args) {
        String[] all = new String[args.length + 2];
        all[0] = "--port=0";
        all[1] = "--host=127.0.0.1";
        System.arraycopy(args, 0, all, 2, args.length);
        return Webflux.start(Options.parse(all));
    }
}
