package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.Expectation;

/// Real connections with a clock that only the test moves, so the results are exact.
@Timeout(60)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
class HandSetClockTest {
    private static final long MILLI = 1_000_000L;
    private static final long START = 5_000 * MILLI;
    private static final long REAL_NANOS_MAX = 10_000_000_000L;

    @Parameter EngineChoice choice;
    private final Tally tally = new Tally(null, Expectation.DEFAULT);
    private long clock = START;
    private ServerSocket listener;
    private Connector connector;
    private Engine engine;
    private RequestTable table;
    private Requests requests;
    private Exchanges exchanges;
    private Socket server;
    private boolean keepalive = true;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws Exception {
        server.close();
        engine.close();
        connector.close();
        requests.close();
        table.close();
        listener.close();
    }

    private void drive(Arrival arrival) throws IOException {
        LoadPlan plan =
                new PlanMaker((InetSocketAddress) listener.getLocalSocketAddress())
                        .arrival(arrival)
                        .engine(choice)
                        .keepalive(keepalive)
                        .make();
        connector = new Connector(plan, 0);
        engine = EngineSelection.of(choice).open(1, connector);
        table = new RequestTable(plan);
        requests = table.of(0, 1);
        Arrivals arrivals =
                arrival instanceof Arrival.Open open
                        ? new Arrivals.Open(
                                Pacer.of(open, 0, 1),
                                tally,
                                1,
                                LoadPlan.nanos(plan.timeouts().whole()),
                                clock)
                        : new Arrivals.Closed();
        exchanges =
                new Exchanges(
                        plan, 1, Long.MAX_VALUE, engine, requests, arrivals, tally, () -> clock);
        exchanges.tick();
        tally.pauses.start(clock);
        exchanges.start();
        until(() -> tally.opened == 1);
        server = listener.accept();
    }

    /// Lets the engine run at a fixed time until something is true.
    private void until(BooleanSupplier fact) {
        long real = System.nanoTime();
        while (!fact.getAsBoolean()) {
            assertThat(System.nanoTime() - real).isLessThan(REAL_NANOS_MAX);
            step();
        }
    }

    private void step() {
        engine.poll(exchanges, MILLI / 10);
        exchanges.sweep();
        exchanges.proceed();
    }

    /// Reads the request at the server and answers it at a given time.
    private void answerAt(long nanos) throws IOException {
        InputStream in = server.getInputStream();
        until(() -> available(in));
        assertThat(in.read(new byte[4096])).isPositive();
        clock = nanos;
        long answered = tally.answered;
        server.getOutputStream().write(ScriptedServer.OK.getBytes(StandardCharsets.ISO_8859_1));
        until(() -> tally.answered > answered);
    }

    private static boolean available(InputStream in) {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Histogram millis(long... values) {
        Histogram histogram = Tally.histogram();
        for (long value : values) {
            histogram.recordValue(value * MILLI);
        }
        return histogram;
    }

    @Test
    void a_stall_delays_all_requests_due_in_it() throws IOException {
        drive(new Arrival.Rate(10));
        // Due at 0, 100, 200 and 300 ms; the first one is answered after 250.
        answerAt(START + 250 * MILLI);
        answerAt(START + 255 * MILLI);
        answerAt(START + 260 * MILLI);
        clock = START + 302 * MILLI;
        answerAt(START + 310 * MILLI);
        assertThat(tally.responseNanos).isEqualTo(millis(250, 155, 60, 10));
        assertThat(tally.serviceNanos).isEqualTo(millis(250, 5, 5, 8));
        assertThat(tally.waited).isEqualTo(2);
        assertThat(tally.lateNanos).isEqualTo(millis(0, 2));
    }

    @Test
    void a_closed_loop_reports_each_delay_as_it_was() throws IOException {
        drive(new Arrival.Closed());
        Histogram expected = Tally.histogram();
        RandomGenerator random = new SplittableRandom(11);
        for (int i = 0; i < 500; i++) {
            long delay = 1 + (long) (-Math.log(1 - random.nextDouble()) * 5 * MILLI);
            expected.recordValue(delay);
            answerAt(clock + delay);
        }
        assertThat(tally.responseNanos).isEqualTo(expected);
        assertThat(tally.serviceNanos).isEqualTo(expected);
    }

    /// Over TLS, a server's close_notify is such an end. asyncio then waits until the client
    /// closes.
    @Test
    void a_connection_that_the_server_has_ended_is_soon_closed() throws IOException {
        keepalive = false;
        drive(new Arrival.Closed());
        answerAt(START + 3 * MILLI);
        exchanges.ending(0);
        clock += Deadlines.CLOSING_ENDED_NANOS - 1;
        step();
        assertThat(tally.opened).isEqualTo(1);
        clock++;
        until(() -> tally.opened == 2);
    }

    @Test
    void a_delay_of_the_engine_between_two_waits_is_a_pause() throws IOException {
        drive(new Arrival.Rate(10));
        answerAt(START + 3 * MILLI);
        clock += 7 * MILLI;
        step();
        Pauses pauses = tally.pauses;
        assertThat(pauses.maxNanos).isEqualTo(7 * MILLI);
        // The server's time counts as well, because the engine did not wait then.
        assertThat(pauses.count).isEqualTo(2);
        assertThat(pauses.sumNanos).isEqualTo(10 * MILLI);
    }
}
