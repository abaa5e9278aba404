package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.experiment.Arrival;
import wallfinder.experiment.TlsSpec;
import wallfinder.observation.LoadOutcome.Requests;

/// The engine counts the same as third-party servers.
@Tag("slow")
@Timeout(300)
@ParameterizedClass(name = "{0}, https {1}")
@MethodSource("servers")
class AgreementTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int BODY_BYTES = 3000;
    private static final int ANSWERS_MIN = 200;

    @TempDir private static Path shared;

    private static Certificates certificates;

    private final CountingServer.Kind kind;
    private final boolean secured;
    @TempDir private Path folder;

    AgreementTest(CountingServer.Kind kind, boolean secured) {
        this.kind = kind;
        this.secured = secured;
    }

    static Stream<Arguments> servers() {
        return withAndWithoutTls(CountingServer.Kind.NGINX, CountingServer.Kind.NODE);
    }

    static Stream<Arguments> withAndWithoutTls(CountingServer.Kind... kinds) {
        return Stream.of(kinds)
                .flatMap(kind -> Stream.of(Arguments.of(kind, false), Arguments.of(kind, true)));
    }

    @BeforeAll
    static void make() {
        certificates = Certificates.in(shared);
    }

    private static CountingServer.Identity identity() {
        return new CountingServer.Identity(
                certificates.certificate("server"),
                certificates.key("server"),
                certificates.server("server"));
    }

    private static TlsPlan trusting(InetSocketAddress target) {
        String ca = certificates.certificate("ca").toString();
        TlsSpec spec = new TlsSpec(ca, null, null, false, null, true);
        return TlsPlan.of(spec, "localhost", target.getPort(), null);
    }

    /// Loads with a number of requests or, if it is zero, a duration.
    enum Loaded {
        KEPT_ALIVE(2000, plan -> plan),
        A_CONNECTION_EACH(400, plan -> plan.keepalive(false)),
        WITH_BODIES(1000, plan -> plan.post(new byte[BODY_BYTES])),
        WITH_BODIES_A_CONNECTION_EACH(
                300, plan -> plan.keepalive(false).post(new byte[BODY_BYTES])),
        HEAD(500, plan -> plan.method("HEAD")),
        LOCKSTEP(500, PlanMaker::lockstep),
        FOR_A_TIME(0, plan -> plan),
        FOR_A_TIME_A_CONNECTION_EACH(0, plan -> plan.keepalive(false)),
        OPEN_LOOP(600, plan -> plan.arrival(new Arrival.Rate(4000))),
        OPEN_LOOP_FOR_A_TIME(0, plan -> plan.arrival(new Arrival.Poisson(2000, 1L))),
        OPEN_LOOP_A_CONNECTION_EACH(
                200, plan -> plan.arrival(new Arrival.Rate(1000)).keepalive(false));

        final long requests;
        final UnaryOperator<PlanMaker> plan;

        Loaded(long requests, UnaryOperator<PlanMaker> plan) {
            this.requests = requests;
            this.plan = plan;
        }

        Requests drive(InetSocketAddress address, TlsPlan tls, EngineChoice engine) {
            PlanMaker maker =
                    new PlanMaker(address)
                            .engine(engine)
                            .connections(16)
                            .threads(2)
                            .timeout(Duration.ofSeconds(30))
                            .tls(tls);
            LoadPlan made = plan.apply(maker).make();
            if (requests > 0) {
                return SmallLoad.run(made, requests, LONG);
            }
            try (LoadRun run = LoadRun.start(made)) {
                long end = System.nanoTime() + LONG.toNanos();
                while (run.progress().requests() < ANSWERS_MIN && System.nanoTime() - end < 0) {
                    run.awaitDone(Duration.ofMillis(50));
                }
                return run.finish(LONG);
            }
        }

        int bodyBytes() {
            return name().startsWith("WITH_BODIES") ? BODY_BYTES : 0;
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_engine_and_the_server_count_the_same(Loaded load) throws Exception {
        agree(load, EngineChoice.IO_URING);
        agree(load, EngineChoice.EPOLL);
    }

    private void agree(Loaded load, EngineChoice engine) throws Exception {
        Path own = Files.createDirectory(folder.resolve(engine.name()));
        try (CountingServer server = kind.start(own, shared, secured ? identity() : null)) {
            Requests outcome =
                    load.drive(
                            server.address(), secured ? trusting(server.address()) : null, engine);
            CountingServer.Counts counts = server.stop();
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.inFlight()).isZero();
            assertThat(outcome.answered())
                    .isEqualTo(load.requests > 0 ? load.requests : outcome.sent())
                    .isPositive()
                    .isEqualTo(counts.requests());
            assertThat(outcome.connectionsOpened())
                    .isEqualTo(counts.connections())
                    .isEqualTo(outcome.keepalive() ? 16 : outcome.answered());
            assertThat(counts.sentBytes())
                    .isIn(CountingServer.UNKNOWN, outcome.exchanges().bytesReceived());
            assertThat(counts.bodyBytes())
                    .isIn(CountingServer.UNKNOWN, outcome.answered() * load.bodyBytes());
        }
    }
}
