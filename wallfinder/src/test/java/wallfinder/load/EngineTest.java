package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Timeouts;
import wallfinder.linux.EnvironmentException;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.LoadOutcome.Requests;

@Timeout(60)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
record EngineTest(EngineChoice engine) {
    private static final Duration LONG = Duration.ofSeconds(20);

    private PlanMaker plan(InetSocketAddress target) {
        return new PlanMaker(target).engine(engine);
    }

    @Test
    void kept_connections_are_counted_as_the_server_counts_them() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            Requests outcome = driveUntil(plan(server.address()).connections(16).threads(2), 500);
            assertThat(outcome.engine().driver()).isEqualTo(engine.word());
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.connectionsOpened())
                    .isEqualTo(16)
                    .isEqualTo(server.connections.get());
            assertThat(outcome.answered()).isEqualTo(server.answers.get());
            assertThat(outcome.inFlight()).isZero();
            assertThat(outcome.exchanges().bytesReceived())
                    .isEqualTo(outcome.answered() * ScriptedServer.OK.length());
            assertThat(outcome.responseNanos().getTotalCount()).isEqualTo(outcome.answered());
            assertThat(outcome.times().serviceNanos().getTotalCount())
                    .isEqualTo(outcome.answered());
            assertThat(outcome.times().connectNanos().getTotalCount()).isEqualTo(16);
            assertThat(outcome.seconds()).isPositive();
            assertThat(outcome.engine().clientCpuSeconds()).isPositive();
            assertThat(outcome.generator().threads()).isEqualTo(2);
        }
    }

    @Test
    void one_connection_per_request_leaves_the_closing_to_the_server() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readRequest();
                    visit.answer(ScriptedServer.OK_CLOSE);
                })) {
            Requests outcome =
                    driveUntil(plan(server.address()).connections(8).keepalive(false), 300);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(server.answers.get());
            assertThat(outcome.connectionsOpened()).isEqualTo(server.connections.get());
            assertThat(outcome.connectionsOpened()).isEqualTo(outcome.answered());
        }
    }

    @Test
    void the_client_closes_if_the_server_never_does() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            Requests outcome =
                    SmallLoad.run(plan(server.address()).keepalive(false).make(), 5, LONG);
            assertThat(outcome.answered()).isEqualTo(5);
            assertThat(server.connections.get()).isEqualTo(5);
        }
    }

    @Test
    void a_connection_without_further_requests_closes_for_one_that_waits() {
        Semaphore room = new Semaphore(1);
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    room.acquireUninterruptibly();
                    try {
                        while (visit.readRequest()) {
                            visit.answer(ScriptedServer.OK);
                        }
                    } finally {
                        room.release();
                    }
                })) {
            Requests outcome =
                    SmallLoad.run(plan(server.address()).connections(4).make(), 40, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(40).isEqualTo(server.answers.get());
            assertThat(server.connections.get()).isEqualTo(4);
        }
    }

    @Test
    void a_server_that_ends_keep_alive_causes_no_error_announced_or_not() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    for (int i = 0; i < 3 && visit.readRequest(); i++) {
                        boolean announced = i == 2 && visit.number % 2 == 0;
                        visit.answer(announced ? ScriptedServer.OK_CLOSE : ScriptedServer.OK);
                    }
                })) {
            Requests outcome = driveUntil(plan(server.address()).connections(4), 300);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(server.answers.get());
            assertThat(outcome.connectionsOpened()).isBetween(outcome.answered() / 3, 500L);
        }
    }

    @Test
    void an_unanswered_request_on_a_kept_connection_is_sent_again_and_counted() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readRequest();
                    visit.answer(ScriptedServer.OK);
                    visit.readRequest();
                })) {
            Requests outcome = driveUntil(plan(server.address()).connections(2), 100);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.repeated()).isBetween(90L, outcome.answered());
            assertThat(server.requests.get())
                    .isEqualTo(outcome.answered() + outcome.repeated() + outcome.inFlight());
        }
    }

    /// It had more than a second to work on the request.
    @Test
    void a_request_that_a_server_drops_late_has_failed() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readRequest();
                    visit.answer(ScriptedServer.OK);
                    visit.readRequest();
                    LockSupport.parkNanos(1_200_000_000L);
                })) {
            Requests outcome = SmallLoad.run(plan(server.address()).make(), 2, LONG);
            assertThat(outcome.errors()).isEqualTo(Map.of("closed", 1L));
            assertThat(outcome.repeated()).isZero();
        }
    }

    @Test
    void a_refused_connection_is_an_error_and_does_not_spin() throws IOException {
        // Bound, so that no one else gets the port, and not listening.
        try (Socket nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            refused((InetSocketAddress) nobody.getLocalSocketAddress());
        }
    }

    private void refused(InetSocketAddress nobody) {
        try (LoadRun run = LoadRun.start(plan(nobody).connections(2).make())) {
            await(() -> run.progress().errors() >= 20);
            Requests outcome = run.finish(Duration.ZERO);
            assertThat(outcome.errors()).containsOnlyKeys("connect-refused");
            assertThat(outcome.answered()).isZero();
            assertThat(outcome.networkErrors())
                    .isLessThanOrEqualTo(2 * (long) (outcome.seconds() * 1000 + 1));
        }
    }

    @Test
    void a_connect_that_takes_too_long_times_out() throws IOException {
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress target = (InetSocketAddress) deaf.getLocalSocketAddress();
            PlanMaker plan = plan(target).connections(8).timeout(Duration.ofMillis(300));
            Requests outcome = SmallLoad.run(plan.make(), 8, LONG);
            assertThat(outcome.networkErrors()).isEqualTo(8);
            assertThat(outcome.errors()).containsOnlyKeys("connect-timeout", "timeout");
        }
    }

    @Test
    void a_reset_and_an_early_close_are_different_errors() {
        assertThat(
                        errorOf(visit -> {
                            visit.readRequest();
                            visit.reset();
                        }))
                .isEqualTo("reset");
        assertThat(errorOf(ScriptedServer.Visit::readRequest)).isEqualTo("closed");
        assertThat(
                        errorOf(visit -> {
                            visit.readRequest();
                            visit.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nabc");
                        }))
                .isEqualTo("closed");
    }

    @Test
    void an_answer_that_is_not_http_is_malformed() {
        assertThat(errorOf(visit -> visit.write("SSH-2.0-OpenSSH\r\n"))).isEqualTo("malformed");
        assertThat(
                        errorOf(visit -> {
                            visit.readRequest();
                            visit.write("HTTP/1.1 200 OK\r\n");
                            while (true) {
                                visit.write("X-Endless: header\r\n".repeat(100));
                            }
                        }))
                .isEqualTo("malformed");
        assertThat(
                        errorOf(visit -> {
                            visit.readRequest();
                            visit.write(ScriptedServer.OK + " and more than announced");
                            visit.awaitClient();
                        }))
                .isEqualTo("malformed");
    }

    @Test
    void a_silent_server_times_out() {
        assertThat(errorOf(ScriptedServer.Visit::awaitClient)).isEqualTo("timeout");
        assertThat(
                        errorOf(visit -> {
                            visit.readRequest();
                            visit.write("HTTP/1.1 200 OK\r\n");
                            visit.awaitClient();
                        }))
                .isEqualTo("timeout");
    }

    @Test
    void each_phase_has_a_time_out_and_errors_have_their_phase() {
        Timeouts soon =
                new Timeouts(Duration.ofSeconds(5), Duration.ofMillis(200), Duration.ofMillis(600));
        assertThat(phasesOf(soon, ScriptedServer.Visit::awaitClient))
                .isEqualTo("{first-byte={first-byte-timeout=2}}");
        assertThat(
                        phasesOf(
                                soon,
                                visit -> {
                                    visit.readRequest();
                                    visit.write("H");
                                    visit.awaitClient();
                                }))
                .isEqualTo("{answer={timeout=2}}");
        assertThat(phasesOf(Timeouts.whole(soon.firstByte()), ScriptedServer.Visit::awaitClient))
                .isEqualTo("{first-byte={timeout=2}}");
        assertThat(phasesOf(soon, ScriptedServer.Visit::readRequest))
                .isEqualTo("{first-byte={closed=2}}");
        assertThat(
                        phasesOf(
                                soon,
                                visit -> {
                                    visit.readRequest();
                                    visit.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab");
                                }))
                .isEqualTo("{answer={closed=2}}");
    }

    private String phasesOf(Timeouts timeouts, ScriptedServer.Script script) {
        try (ScriptedServer server = new ScriptedServer(script)) {
            PlanMaker plan = plan(server.address()).timeouts(timeouts);
            return SmallLoad.run(plan.make(), 2, LONG).failures().errorsByPhase().toString();
        }
    }

    @Test
    void a_connect_has_its_own_time_out() throws IOException {
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress target = (InetSocketAddress) deaf.getLocalSocketAddress();
            Timeouts timeouts = new Timeouts(Duration.ofMillis(200), LONG, LONG);
            PlanMaker plan = plan(target).connections(8).timeouts(timeouts);
            try (LoadRun run = LoadRun.start(plan.make())) {
                await(() -> run.progress().errors() >= 6);
                Requests outcome = run.finish(Duration.ZERO);
                assertThat(outcome.errors()).containsOnlyKeys("connect-timeout");
                assertThat(outcome.failures().errorsByPhase()).containsOnlyKeys("connect");
                assertThat(outcome.inFlight()).isGreaterThanOrEqualTo(2);
            }
        }
    }

    private String errorOf(ScriptedServer.Script script) {
        try (ScriptedServer server = new ScriptedServer(script)) {
            PlanMaker plan = plan(server.address()).timeout(Duration.ofMillis(300));
            Requests outcome = SmallLoad.run(plan.make(), 2, LONG);
            assertThat(outcome.networkErrors()).isEqualTo(2);
            assertThat(outcome.errors()).hasSize(1);
            return outcome.errors().firstKey();
        }
    }

    @Test
    void an_answer_with_an_error_status_is_an_answer_and_an_error() {
        AtomicInteger requests = new AtomicInteger();
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.readRequest()) {
                        visit.answer(
                                "HTTP/1.1 "
                                        + (requests.incrementAndGet() % 2 == 0 ? 503 : 404)
                                        + " Sorry\r\nContent-Length: 0\r\n\r\n");
                    }
                })) {
            Requests outcome =
                    SmallLoad.run(plan(server.address()).connections(2).make(), 20, LONG);
            assertThat(outcome.answered()).isEqualTo(20);
            assertThat(outcome.networkErrors()).isZero();
            assertThat(outcome.errors())
                    .containsEntry("status-4xx", 10L)
                    .containsEntry("status-5xx", 10L);
        }
    }

    @Test
    void a_batch_begins_when_the_one_before_has_ended() {
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger atOnceMax = new AtomicInteger();
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readRequest();
                    atOnceMax.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    awaitBatch(atOnce);
                    visit.answer(ScriptedServer.OK_CLOSE);
                })) {
            PlanMaker plan = plan(server.address()).connections(10).threads(2).keepalive(false);
            Requests outcome = SmallLoad.run(plan.lockstep().make(), 50, LONG);
            assertThat(outcome.answered()).isEqualTo(50);
            Histogram batchNanos = ((Loop.Lockstep) outcome.loop()).batchNanos();
            assertThat(batchNanos.getTotalCount()).isEqualTo(5);
            assertThat(outcome.generator().threads()).isEqualTo(1);
            assertThat(batchNanos.getMinValue())
                    .isGreaterThanOrEqualTo(outcome.responseNanos().getMinValue());
        }
    }

    /// Answers after all ten requests of a batch have arrived. A smaller batch would stall.
    private static void awaitBatch(AtomicInteger asked) {
        int batchEnd = (asked.get() + 9) / 10 * 10;
        await(() -> asked.get() >= batchEnd);
    }

    @Test
    void chunked_and_endless_bodies_are_read_to_their_end() {
        String big = "x".repeat(100_000);
        String chunk = Integer.toHexString(big.length()) + "\r\n" + big + "\r\n";
        String chunked =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + chunk
                        + chunk
                        + "0\r\nTrailer: t\r\n\r\n";
        try (ScriptedServer server = ScriptedServer.answering(chunked)) {
            Requests outcome =
                    SmallLoad.run(plan(server.address()).connections(4).make(), 40, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.connectionsOpened()).isEqualTo(4);
            assertThat(outcome.exchanges().bytesReceived()).isEqualTo(40L * chunked.length());
        }
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readRequest();
                    visit.answer("HTTP/1.1 200 OK\r\n\r\n" + big);
                })) {
            Requests outcome = SmallLoad.run(plan(server.address()).make(), 10, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.connectionsOpened()).isEqualTo(10);
        }
    }

    @Test
    void a_body_larger_than_the_socket_buffers_is_sent_completely() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            PlanMaker plan = plan(server.address()).post(new byte[12_000_000]);
            Requests outcome = SmallLoad.run(plan.make(), 4, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(server.requests.get()).isEqualTo(4);
        }
    }

    @Test
    void connections_come_from_the_planned_addresses_and_ports() throws IOException {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readRequest();
                    visit.answer(ScriptedServer.OK_CLOSE);
                })) {
            PlanMaker plan =
                    plan(server.address())
                            .keepalive(false)
                            .sources("127.0.0.2", "127.0.0.3")
                            .ports(21_000, 21_049);
            Requests outcome = SmallLoad.run(plan.make(), 100, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(server.clientAddresses)
                    .containsExactlyInAnyOrder(
                            InetAddress.getByName("127.0.0.2"), InetAddress.getByName("127.0.0.3"));
            assertThat(server.clientPorts).hasSize(50).allMatch(p -> p >= 21_000 && p < 21_050);
        }
    }

    @Test
    void planned_ports_that_are_all_in_use_are_reported_as_exhausted() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            PlanMaker plan = plan(server.address()).sources("127.0.0.4").ports(21_100, 21_103);
            try (LoadRun run = LoadRun.start(plan.connections(6).make())) {
                await(() -> run.progress().errors() > 2 && run.progress().requests() > 20);
                Requests outcome = run.finish(Duration.ofSeconds(1));
                assertThat(outcome.connectionsOpened()).isEqualTo(4);
                assertThat(outcome.errors()).containsOnlyKeys("connect-no-port");
                assertThat(outcome.generator().exhausted())
                        .containsEntry("ports", outcome.networkErrors());
            }
        }
    }

    @Test
    void requests_without_an_answer_at_the_end_of_the_drain_are_in_flight() {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient);
                LoadRun run = LoadRun.start(plan(server.address()).connections(7).make())) {
            await(() -> run.progress().sum(Tally.OPENED) == 7);
            Requests outcome = run.finish(Duration.ofMillis(100));
            assertThat(outcome.inFlight()).isEqualTo(7).isEqualTo(outcome.sent());
            assertThat(outcome.errors()).isEmpty();
        }
    }

    @Test
    void no_descriptor_is_left_open() {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient)) {
            long before = descriptors();
            try (LoadRun run = LoadRun.start(plan(server.address()).connections(50).make())) {
                await(() -> run.progress().sum(Tally.OPENED) == 50);
                assertThat(descriptors()).isGreaterThanOrEqualTo(before + 50);
            }
            await(() -> descriptors() <= before);
        }
    }

    private static long descriptors() {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void a_thread_that_cannot_enter_stops_the_start() {
        PlanMaker plan = plan(new InetSocketAddress("127.0.0.1", 9));
        Runnable enter =
                () -> {
                    throw new EnvironmentException("entering", "it is closed", "open it");
                };
        assertThatThrownBy(() -> LoadRun.start(plan.enterThread(enter).make()))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("entering");
    }

    @Test
    void a_probe_measures_requests_sent_alone() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            LoadPlan plan = plan(server.address()).connections(9).threads(3).make();
            assertThat(SmallLoad.probe(plan, 50, LONG).responseNanos().getTotalCount())
                    .isEqualTo(50);
            assertThat(server.answers.get()).isEqualTo(50);
            assertThat(server.connections.get()).isEqualTo(1);
        }
    }

    private static Requests driveUntil(PlanMaker plan, long requests) {
        try (LoadRun run = LoadRun.start(plan.make())) {
            await(() -> run.progress().requests() >= requests);
            return run.finish(Duration.ofSeconds(10));
        }
    }

    static void await(BooleanSupplier fact) {
        long start = System.nanoTime();
        while (!fact.getAsBoolean()) {
            assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
            LockSupport.parkNanos(100_000);
        }
    }
}
