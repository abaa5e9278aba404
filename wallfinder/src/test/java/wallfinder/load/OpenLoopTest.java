package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome.Loop;
import wallfinder.observation.LoadOutcome.Requests;

@Timeout(120)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
record OpenLoopTest(EngineChoice engine) {
    private static final Duration LONG = Duration.ofSeconds(20);

    private PlanMaker plan(InetSocketAddress target, double perSecond) {
        return new PlanMaker(target).engine(engine).arrival(new Arrival.Rate(perSecond));
    }

    @Test
    void all_connections_are_opened_at_the_start_and_take_turns() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK);
                LoadRun run =
                        LoadRun.start(
                                plan(server.address(), 1).connections(20).threads(2).make())) {
            await(() -> run.progress().sum(Tally.OPENED) == 20);
            await(() -> run.progress().requests() >= 1);
            Requests outcome = run.finish(Duration.ofSeconds(5));
            assertThat(server.connections.get()).isEqualTo(20);
            assertThat(outcome.times().connectNanos().getTotalCount()).isEqualTo(20);
            assertThat(outcome.answered())
                    .isEqualTo(server.requests.get())
                    .isLessThan(20)
                    .isEqualTo(outcome.sent());
        }
    }

    @Test
    void all_due_requests_are_sent_and_their_times_count_from_then() {
        for (Arrival.Open arrival :
                List.of(
                        new Arrival.Rate(1_000),
                        new Arrival.Poisson(1_000, 3L),
                        new Arrival.Stages(
                                List.of(
                                        new Arrival.Stage(Duration.ofMillis(200), 0, 2_000),
                                        new Arrival.Stage(Duration.ofMillis(200), 500, 500))))) {
            try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
                PlanMaker plan = plan(server.address(), 1).arrival(arrival);
                long start = System.nanoTime();
                Requests outcome = SmallLoad.run(plan.connections(8).threads(2).make(), 300, LONG);
                long nanos = System.nanoTime() - start;
                assertThat(outcome.errors()).isEmpty();
                assertThat(outcome.answered()).isEqualTo(300).isEqualTo(server.requests.get());
                assertThat(nanos).isGreaterThan(Pacer.of(arrival, 0, 1).dueNanos(250));
                assertThat(open(outcome).arrival()).isEqualTo(arrival);
                assertThat(open(outcome).waited() + open(outcome).lateNanos().getTotalCount())
                        .isEqualTo(300);
                assertThat(outcome.responseNanos().getMean())
                        .isGreaterThan(outcome.times().serviceNanos().getMean());
            }
        }
    }

    @Test
    void one_connection_per_request_can_be_paced_too() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    visit.readRequest();
                    visit.answer(ScriptedServer.OK_CLOSE);
                })) {
            PlanMaker plan = plan(server.address(), 1_000).connections(50).keepalive(false);
            Requests outcome = SmallLoad.run(plan.make(), 200, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(200);
            assertThat(server.connections.get()).isEqualTo(200);
        }
    }

    @Test
    void an_idle_connection_that_the_server_closes_is_no_error() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    for (int i = 0; i < 2 && visit.readRequest(); i++) {
                        visit.answer(ScriptedServer.OK);
                    }
                })) {
            PlanMaker plan = plan(server.address(), 1_000).connections(4);
            Requests outcome = SmallLoad.run(plan.make(), 100, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(100);
            assertThat(outcome.connectionsOpened()).isGreaterThanOrEqualTo(50);
        }
    }

    /// Each request sleeps on the server, and one connection can carry half of the load.
    @Test
    void requests_that_wait_for_a_connection_are_measured_from_their_due_time() {
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.readRequest()) {
                        LockSupport.parkNanos(4_000_000);
                        visit.answer(ScriptedServer.OK);
                    }
                })) {
            Requests outcome = SmallLoad.run(plan(server.address(), 500).make(), 200, LONG);
            assertThat(outcome.answered()).isEqualTo(200);
            assertThat(open(outcome).waited()).isGreaterThan(150);
            // The last request was due at 0.4 s and answered after 200 answers of 4 ms.
            assertThat(outcome.responseNanos().getMaxValue()).isGreaterThan(390_000_000L);
            assertThat(outcome.times().serviceNanos().getValueAtPercentile(50))
                    .isLessThan(outcome.responseNanos().getValueAtPercentile(50) / 2);
        }
    }

    @Test
    void waiting_for_a_connection_longer_than_an_exchange_may_take_is_an_error() {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient);
                LoadRun run =
                        LoadRun.start(
                                plan(server.address(), 1_000)
                                        .connections(2)
                                        .timeout(Duration.ofMillis(200))
                                        .make())) {
            await(() -> run.progress().errors() > 300);
            Requests outcome = run.finish(Duration.ZERO);
            assertThat(outcome.errors()).containsOnlyKeys("no-connection", "timeout");
            assertThat(outcome.inFlight()).isPositive();
            assertThat(outcome.sent()).isEqualTo(outcome.networkErrors() + outcome.inFlight());
            long missed = outcome.errors().get("no-connection");
            assertThat(open(outcome).waited()).isGreaterThanOrEqualTo(missed);
        }
    }

    @Test
    void a_refused_connection_is_one_error_for_each_request_that_was_due() throws IOException {
        // Bound, so that no one else gets the port, and not listening.
        try (Socket nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            PlanMaker plan = plan((InetSocketAddress) nobody.getLocalSocketAddress(), 500);
            Requests outcome = SmallLoad.run(plan.connections(4).make(), 100, LONG);
            assertThat(outcome.errors()).containsOnlyKeys("connect-refused");
            assertThat(outcome.networkErrors()).isEqualTo(100);
        }
    }

    @Test
    void requests_due_but_not_sent_at_the_end_of_the_drain_are_in_flight() {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.Visit::awaitClient);
                LoadRun run = LoadRun.start(plan(server.address(), 1_000).make())) {
            run.awaitSchedule();
            long begun = System.nanoTime();
            await(() -> System.nanoTime() - begun > 300_000_000L);
            Requests outcome = run.finish(Duration.ofMillis(10));
            assertThat(outcome.answered()).isZero();
            assertThat(outcome.inFlight()).isEqualTo(outcome.sent());
            assertThat((double) outcome.sent())
                    .isCloseTo(1_000 * outcome.seconds(), withinPercentage(10));
            assertThat(open(outcome).waited()).isEqualTo(outcome.sent() - 1);
        }
    }

    /// The kernel accepts two connections, and drops the other handshakes, which repeat after a
    /// second. The first request is due after that second.
    @Test
    void the_measured_time_begins_when_the_first_request_is_due() throws IOException {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                LoadRun run =
                        LoadRun.start(
                                plan((InetSocketAddress) full.getLocalSocketAddress(), 200)
                                        .connections(6)
                                        .make())) {
            run.awaitSchedule();
            long begun = System.nanoTime();
            await(() -> System.nanoTime() - begun > 200_000_000L);
            Requests outcome = run.finish(Duration.ZERO);
            assertThat(outcome.sent()).isGreaterThan(35);
            assertThat((double) outcome.sent()).isCloseTo(200 * outcome.seconds(), within(3.0));
        }
    }

    @Test
    void requests_due_before_the_stop_are_still_sent() {
        try (ScriptedServer server =
                        new ScriptedServer(visit -> {
                            while (visit.readRequest()) {
                                LockSupport.parkNanos(2_000_000);
                                visit.answer(ScriptedServer.OK);
                            }
                        });
                LoadRun run = LoadRun.start(plan(server.address(), 1_000).make())) {
            await(() -> run.progress().requests() >= 50);
            Requests outcome = run.finish(LONG);
            assertThat(outcome.inFlight()).isZero();
            assertThat(outcome.answered()).isGreaterThanOrEqualTo(90).isEqualTo(outcome.sent());
        }
    }

    private static void await(BooleanSupplier fact) {
        long start = System.nanoTime();
        while (!fact.getAsBoolean()) {
            assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
            LockSupport.parkNanos(100_000);
        }
    }

    private static Loop.Open open(Requests outcome) {
        return (Loop.Open) outcome.loop();
    }
}
