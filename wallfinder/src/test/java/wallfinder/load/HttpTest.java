package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import javax.management.JMException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Body;
import wallfinder.experiment.Header;
import wallfinder.experiment.RequestSpec;
import wallfinder.observation.LoadOutcome.Requests;

/// HTTP/1.1 from the view of a server that checks its requests.
@Timeout(120)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
class HttpTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String NO_CONTENT = "HTTP/1.1 204 No Content\r\n\r\n";

    private final EngineChoice engine;
    @TempDir private Path folder;

    HttpTest(EngineChoice engine) {
        this.engine = engine;
    }

    private PlanMaker plan(ScriptedServer server) {
        return new PlanMaker(server.address()).engine(engine);
    }

    private static Requests drive(PlanMaker plan, long requests) {
        return SmallLoad.run(plan.make(), requests, LONG);
    }

    /// A server that records something of each request.
    private static ScriptedServer noting(
            ConcurrentLinkedQueue<String> notes, Function<ScriptedServer.Visit, String> note) {
        return new ScriptedServer(visit -> {
            while (visit.readRequest()) {
                notes.add(note.apply(visit));
                visit.answer(ScriptedServer.OK);
            }
        });
    }

    @Test
    void a_counter_gives_each_number_once_across_threads_and_connections() {
        ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
        try (ScriptedServer server =
                noting(notes, v -> v.firstLine() + "|" + v.header("X-Id") + "|" + v.bodyText())) {
            Requests outcome =
                    drive(
                            plan(server)
                                    .method("POST")
                                    .path("/items/{counter}")
                                    .header("X-Id", "n{counter}.")
                                    .body(
                                            new Body.Text(
                                                    "{\"id\": {counter}, \"again\": {counter}}"))
                                    .connections(8)
                                    .threads(2),
                            1_500);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(1_500);
            assertThat(notes)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(1, 1_500).mapToObj(HttpTest::expected).toList());
        }
    }

    private static String expected(long number) {
        return "POST /items/%1$d HTTP/1.1|n%1$d.|{\"id\": %1$d, \"again\": %1$d}".formatted(number);
    }

    @Test
    void a_counter_continues_from_one_load_to_the_next() {
        ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
        try (ScriptedServer server = noting(notes, ScriptedServer.Visit::firstLine)) {
            LoadPlan plan = plan(server).path("/{counter}").make();
            SmallLoad.run(plan, 3, LONG);
            SmallLoad.run(plan, 2, LONG);
            assertThat(notes.stream().map(line -> line.split(" ")[1]))
                    .containsExactly("/1", "/2", "/3", "/4", "/5");
        }
    }

    @Test
    void random_numbers_stay_within_their_bounds_and_reach_all_of_them() {
        ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
        try (ScriptedServer server = noting(notes, v -> v.firstLine().split(" ")[1])) {
            drive(plan(server).path("/{random:8-12}/{random:0-999999999999999999}"), 400);
            assertThat(notes).allMatch(path -> path.matches("/(8|9|10|11|12)/\\d{1,18}"));
            Map<String, Long> counts =
                    notes.stream()
                            .collect(
                                    Collectors.groupingBy(
                                            path -> path.split("/")[1], Collectors.counting()));
            // 80 of each are expected, with a deviation of 8; the seed is always the same.
            assertThat(counts).hasSize(5).allSatisfy((k, n) -> assertThat(n).isBetween(40L, 120L));
            assertThat(notes.stream().map(path -> path.split("/")[2]).distinct()).hasSize(400);
        }
    }

    @Test
    void a_large_body_that_changes_has_the_correct_length() {
        String filler = "x".repeat(40_000);
        ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
        try (ScriptedServer server = noting(notes, ScriptedServer.Visit::bodyText)) {
            Body body = new Body.Text(filler + "{counter}" + filler + "{random:1-10}");
            drive(plan(server).method("PUT").body(body).connections(3), 120);
            assertThat(notes)
                    .hasSize(120)
                    .allMatch(text -> text.replace(filler, "|").matches("[|]\\d+[|](10|[1-9])"));
        }
    }

    @Test
    void targets_take_turns_by_weight() {
        ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
        try (ScriptedServer server = noting(notes, v -> v.firstLine() + v.bodyText())) {
            PlanMaker plan =
                    plan(server)
                            .request(request("GET", "/a", null, 6))
                            .request(request("POST", "/b", new Body.Text("text"), 3))
                            .request(request("DELETE", "/c/{counter}", null, 1));
            Requests outcome = drive(plan.connections(4), 200);
            assertThat(outcome.errors()).isEmpty();
            assertThat(notes.stream().filter("GET /a HTTP/1.1"::equals)).hasSize(120);
            assertThat(notes.stream().filter("POST /b HTTP/1.1text"::equals)).hasSize(60);
            assertThat(notes.stream().filter(n -> n.startsWith("DELETE /c/"))).hasSize(20);
            assertThat(notes).contains("DELETE /c/1 HTTP/1.1", "DELETE /c/20 HTTP/1.1");
        }
    }

    private static RequestSpec request(
            String method, String path, @Nullable Body body, int weight) {
        return new RequestSpec(method, path, List.of(), body, weight);
    }

    @Test
    void all_bytes_of_a_file_of_any_size_arrive() throws IOException {
        Path file = folder.resolve("body.bin");
        for (int size : new int[] {0, 1, 5_000, 16_300, 300_000, 5_000_003}) {
            byte[] bytes = new byte[size];
            new java.util.Random(size).nextBytes(bytes);
            Files.write(file, bytes);
            ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
            try (ScriptedServer server =
                    noting(notes, v -> Arrays.equals(v.body, bytes) ? "same" : "other")) {
                PlanMaker plan = plan(server).method("POST").body(new Body.File(file));
                Requests fixed = drive(plan.connections(2), 6);
                Requests changing = drive(plan.path("/{counter}").keepalive(false), 6);
                assertThat(fixed.errors()).isEmpty();
                assertThat(changing.errors()).isEmpty();
                assertThat(notes).as(size + " bytes").hasSize(12).containsOnly("same");
            }
        }
    }

    @Test
    void an_answer_before_the_whole_request_was_read_counts() throws IOException {
        Path file = Files.write(folder.resolve("large"), new byte[30_000_000]);
        String tooLarge =
                "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nno\n";
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readHead();
                    visit.in.readNBytes(1_000);
                    visit.answer(tooLarge);
                })) {
            PlanMaker plan = plan(server).method("POST").body(new Body.File(file));
            Requests outcome = drive(plan.connections(3), 30);
            assertThat(outcome.errors()).containsOnly(Map.entry("status-4xx", 30L));
            assertThat(outcome.answered()).isEqualTo(30).isEqualTo(server.answers.get());
        }
    }

    @Test
    void after_an_early_answer_nothing_else_is_sent_on_the_connection() throws IOException {
        Path file = Files.write(folder.resolve("large"), new byte[30_000_000]);
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readHead();
                    visit.answer("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
                    visit.awaitClient();
                })) {
            PlanMaker plan = plan(server).method("POST").body(new Body.File(file));
            Requests outcome = drive(plan, 5);
            assertThat(outcome.errors()).containsOnly(Map.entry("status-4xx", 5L));
            assertThat(server.connections.get()).isEqualTo(5);
        }
    }

    @Test
    void the_body_is_sent_when_the_server_asks_for_it() {
        AtomicLong early = new AtomicLong();
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.readHead()) {
                        early.addAndGet(visit.in.available());
                        visit.write("HTTP/1.1 100 Continue\r\n\r\n");
                        visit.body = visit.in.readNBytes(visit.length());
                        visit.answer(visit.bodyText().startsWith("id=") ? ScriptedServer.OK : "?");
                    }
                })) {
            PlanMaker plan = plan(server).method("POST").header("Expect", "100-continue");
            Requests plain = drive(plan.body(new Body.Text("id=1")), 20);
            Requests changing = drive(plan.body(new Body.Text("id={counter}")), 20);
            assertThat(plain.errors()).isEmpty();
            assertThat(changing.errors()).isEmpty();
            assertThat(server.connections.get()).isEqualTo(2);
            assertThat(early.get()).isZero();
        }
    }

    @Test
    void a_final_answer_instead_of_100_means_that_no_body_is_sent() {
        AtomicLong sent = new AtomicLong();
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readHead();
                    visit.answer("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
                    sent.addAndGet(visit.in.readAllBytes().length);
                })) {
            PlanMaker plan = plan(server).method("POST").header("expect", "100-Continue");
            Requests outcome = drive(plan.body(new Body.Text("text")), 10);
            assertThat(outcome.errors()).containsOnly(Map.entry("status-4xx", 10L));
            assertThat(outcome.connectionsOpened()).isEqualTo(10);
            assertThat(sent.get()).isZero();
        }
    }

    @Test
    void a_server_that_does_not_know_100_gets_the_body_after_a_second() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            PlanMaker plan = plan(server).method("POST").header("Expect", "100-continue");
            Requests outcome = drive(plan.body(new Body.Text("text")), 1);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.times().serviceNanos().getMinValue())
                    .isGreaterThanOrEqualTo(Uploads.CONTINUE_NANOS_MAX / 1000 * 999);
        }
    }

    @Test
    void every_method_is_sent_and_its_answer_is_read_accordingly() {
        for (String method :
                List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "M-SEARCH")) {
            ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
            String answer =
                    method.equals("HEAD")
                            ? ScriptedServer.OK.replace("hello", "")
                            : ScriptedServer.OK;
            try (ScriptedServer server =
                    new ScriptedServer(visit -> {
                        while (visit.readRequest()) {
                            notes.add(visit.firstLine() + " " + visit.header("Content-Length"));
                            visit.answer(answer);
                        }
                    })) {
                Requests outcome = drive(plan(server).method(method), 5);
                assertThat(outcome.errors()).isEmpty();
                assertThat(outcome.connectionsOpened()).isEqualTo(1);
                String length = List.of("POST", "PUT", "PATCH").contains(method) ? "0" : "";
                assertThat(notes).hasSize(5).containsOnly(method + " / HTTP/1.1 " + length);
            }
        }
    }

    @Test
    void answers_without_a_body_end_with_their_head() {
        for (String answer :
                List.of(
                        NO_CONTENT,
                        "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n",
                        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + NO_CONTENT)) {
            try (ScriptedServer server = ScriptedServer.answering(answer)) {
                Requests outcome = drive(plan(server), 50);
                assertThat(outcome.errors()).isEmpty();
                assertThat(outcome.connectionsOpened()).isEqualTo(1);
                assertThat(outcome.redirects()).isEqualTo(answer.contains("304") ? 50 : 0);
            }
        }
    }

    @Test
    void redirects_are_counted_and_not_followed() {
        try (ScriptedServer server =
                ScriptedServer.answering(
                        "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")) {
            Requests outcome = drive(plan(server), 20);
            assertThat(outcome.redirects()).isEqualTo(20).isEqualTo(server.requests.get());
            assertThat(outcome.errors()).isEmpty();
        }
    }

    @Test
    void an_answer_of_hundreds_of_megabytes_is_read_in_bounded_memory() {
        long size = 300_000_000;
        byte[] piece = new byte[1_000_000];
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.readRequest()) {
                        visit.write("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
                        for (int i = 0; i < size / piece.length; i++) {
                            visit.out.write(piece);
                        }
                    }
                })) {
            Requests outcome = drive(plan(server), 2);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.exchanges().bytesReceived()).isGreaterThan(2 * size);
            assertThat(outcome.connectionsOpened()).isEqualTo(1);
        }
    }

    @Test
    void each_connection_keeps_cookies_if_requested() {
        Set<String> ids = ConcurrentHashMap.newKeySet();
        ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    String expected = "";
                    for (int i = 1; visit.readRequest(); i++) {
                        if (!visit.header("Cookie").equals(expected)) {
                            wrong.add(visit.header("Cookie") + " instead of " + expected);
                        }
                        String id = visit.number + "." + i;
                        visit.answer(
                                "HTTP/1.1 200 OK\r\nset-cookie: id="
                                        + id
                                        + "; Path=/; HttpOnly\r\n"
                                        + "Set-Cookie: once=1; Max-Age="
                                        + i % 2
                                        + "\r\n"
                                        + "Content-Length: 0\r\n\r\n");
                        expected = "id=" + id + (i % 2 == 1 ? "; once=1" : "");
                        ids.add(id);
                    }
                })) {
            Requests outcome = drive(plan(server).cookies().connections(3), 300);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.connectionsOpened()).isEqualTo(3);
            assertThat(wrong).isEmpty();
            assertThat(ids).hasSize(300);
        }
    }

    @Test
    void by_default_no_cookie_is_kept() {
        ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.readRequest()) {
                        notes.add(visit.header("Cookie"));
                        visit.answer(
                                "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n");
                    }
                })) {
            drive(plan(server), 10);
            assertThat(notes).hasSize(10).containsOnly("");
        }
    }

    @Test
    void headers_are_sent_in_order_and_may_repeat() {
        ConcurrentLinkedQueue<String> notes = new ConcurrentLinkedQueue<>();
        try (ScriptedServer server = noting(notes, v -> v.head)) {
            List<Header> headers =
                    List.of(new Header("X-A", "1"), new Header("X-B", "ü"), new Header("X-A", "2"));
            drive(plan(server).request(new RequestSpec("GET", "/ü?a|b", headers, null, 1)), 1);
            String host = "test:" + server.address().getPort();
            assertThat(notes)
                    .containsExactly(
                            "GET /%C3%BC?a|b HTTP/1.1\r\nHost: "
                                    + host
                                    + "\r\nX-A: 1\r\nX-B: Ã¼\r\nX-A: 2\r\n\r\n");
        }
    }

    @Test
    void an_ipv6_address_is_driven() throws IOException {
        try (ScriptedServer server =
                new ScriptedServer(
                        InetAddress.getByName("::1"),
                        visit -> {
                            while (visit.readRequest()) {
                                visit.answer(ScriptedServer.OK);
                            }
                        })) {
            InetSocketAddress target = server.address();
            assertThat(target.getAddress()).isInstanceOf(java.net.Inet6Address.class);
            Requests outcome = drive(plan(server).connections(4), 100);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(server.answers.get()).isEqualTo(100);
        }
    }

    @Test
    void a_bounded_load_ends_by_itself_and_the_time_after_it_does_not_count() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            long start = System.nanoTime();
            try (LoadRun run =
                    LoadRun.start(plan(server).connections(7).threads(3).make(), 1_001)) {
                assertThat(run.awaitDone(LONG)).isTrue();
                double seconds = (System.nanoTime() - start) / 1e9;
                long done = System.nanoTime();
                EngineTest.await(() -> System.nanoTime() - done > 300_000_000L);
                Requests outcome = run.finish(Duration.ZERO);
                assertThat(outcome.answered()).isEqualTo(1_001).isEqualTo(server.answers.get());
                assertThat(outcome.sent()).isEqualTo(1_001);
                assertThat(outcome.inFlight()).isZero();
                assertThat(outcome.seconds()).isLessThanOrEqualTo(seconds);
            }
        }
    }

    /// The JIT compiler decides how much the calls into the kernel allocate, so a request that
    /// never changes is the reference.
    @Test
    void a_request_that_changes_allocates_no_more_than_one_that_does_not() throws JMException {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            PlanMaker changing =
                    plan(server)
                            .request(request("GET", "/{random:1-9}", null, 2))
                            .request(request("PUT", "/{counter}", new Body.Text("{counter}"), 1))
                            .cookies();
            double fixed = Math.max(allocatedBytes(plan(server)), allocatedBytes(plan(server)));
            assertThat(allocatedBytes(changing)).isLessThan(fixed + 48);
        }
    }

    /// Per request, by the single engine thread.
    private static double allocatedBytes(PlanMaker plan) throws JMException {
        try (LoadRun run = LoadRun.start(plan.make())) {
            EngineTest.await(() -> run.progress().requests() > 5_000);
            long requests = run.progress().requests();
            long bytes = allocatedBytes();
            EngineTest.await(() -> run.progress().requests() > requests + 10_000);
            double allocated = allocatedBytes() - bytes;
            return allocated / (run.progress().requests() - requests);
        }
    }

    private static long allocatedBytes() throws JMException {
        Thread driver =
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("wallfinder-load-0"))
                        .findFirst()
                        .orElseThrow();
        return (long)
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                ManagementFactory.getThreadMXBean().getObjectName(),
                                "getThreadAllocatedBytes",
                                new Object[] {driver.threadId()},
                                new String[] {"long"});
    }
}
