package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.TlsSpec;
import wallfinder.observation.LoadOutcome.Requests;

/// The engine against servers whose flights are cut anywhere and spoilt. Each connection is one
/// input; its number and the seed determine what happens to it. The properties
/// `wallfinder.tls.fuzz.inputs` and `wallfinder.tls.fuzz.seed` select more or other inputs.
@Tag("slow")
@ParameterizedClass
@CsvSource({"IO_URING, OPENSSL", "EPOLL, OPENSSL", "IO_URING, JDK", "EPOLL, JDK"})
class TlsFuzzTest {
    private static final int INPUTS = Integer.getInteger("wallfinder.tls.fuzz.inputs", 200);
    private static final long SEED = Long.getLong("wallfinder.tls.fuzz.seed", 1);
    private static final int CONNECTIONS = 32;
    private static final long HEAP_GROWTH_BYTES_MAX = 96L << 20;
    private static final RandomGeneratorFactory<RandomGenerator> FACTORY =
            RandomGeneratorFactory.of("L64X128MixRandom");
    private static final String BODY = "0123456789abcdef".repeat(3_000);
    private static final String ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: " + BODY.length() + "\r\n\r\n" + BODY;

    @TempDir static Path folder;
    private static Certificates certificates;

    @Parameter(0)
    EngineChoice engine;

    @Parameter(1)
    TlsLibrary library;

    private final AtomicLong whole = new AtomicLong();
    private final AtomicLong spoilt = new AtomicLong();
    private final AtomicLong written = new AtomicLong();

    @BeforeAll
    static void make() {
        certificates = Certificates.in(folder);
    }

    private ScriptedServer spoiling(double chance) {
        SSLContext context = certificates.server("server");
        return new ScriptedServer(visit -> {
            RandomGenerator random = FACTORY.create(SEED * 1_000_000_007L + visit.number);
            SpoilingSocket socket =
                    new SpoilingSocket(visit.socket, random, chance, spoilt::incrementAndGet);
            try (socket) {
                ScriptedServer.Visit tls = visit.over(socket).secured(context, _ -> {});
                tls.readRequest();
                written.incrementAndGet();
                tls.answer(ANSWER);
                if (!socket.spoilt()) {
                    whole.incrementAndGet();
                }
                tls.socket.close();
            }
        });
    }

    private Requests drive(ScriptedServer server, String version, int inputs) {
        TlsSpec spec =
                new TlsSpec(
                        certificates.certificate("ca").toString(),
                        null,
                        null,
                        false,
                        version,
                        true);
        TlsPlan tls = TlsPlan.of(spec, "localhost", server.address().getPort(), null);
        PlanMaker plan =
                new PlanMaker(server.address())
                        .engine(engine)
                        .connections(CONNECTIONS)
                        .keepalive(false)
                        .timeout(Duration.ofSeconds(20))
                        .tls(tls.with(library));
        return SmallLoad.run(plan.make(), inputs, Duration.ofSeconds(60).plusMillis(50L * inputs));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void spoilt_flights_only_cause_errors(String version) {
        long before = heap();
        try (ScriptedServer server = spoiling(0.15)) {
            int inputs = INPUTS / 8;
            Requests outcome = drive(server, version, inputs);
            String summary = outcome.errors() + " of " + inputs + ", spoilt " + spoilt;
            assertThat(outcome.inFlight()).as(summary).isZero();
            assertThat(outcome.answered() + outcome.networkErrors()).as(summary).isEqualTo(inputs);
            assertThat(outcome.answered()).as(summary).isBetween(whole.get(), written.get());
            assertThat(outcome.networkErrors()).as(summary).isLessThanOrEqualTo(spoilt.get());
            assertThat(outcome.errors()).as(summary).doesNotContainKeys("timeout", "tls-timeout");
            assertThat(spoilt.get()).as(summary).isGreaterThan(inputs / 5);
            assertThat(heap() - before).as(summary).isLessThan(HEAP_GROWTH_BYTES_MAX);
        }
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void records_may_be_cut_anywhere() {
        try (ScriptedServer server = spoiling(0)) {
            Requests outcome = drive(server, null, 100);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(100).isEqualTo(written.get());
            assertThat(outcome.exchanges().bytesReceived()).isEqualTo(100L * ANSWER.length());
        }
    }

    /// The JDK silently skips records of this kind, as RFC 8446 allows (appendix D.4). OpenSSL does
    /// not.
    @Test
    void endless_records_without_content_time_out() {
        byte[] record = {20, 3, 3, 0, 1, 1};
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (true) {
                        visit.out.write(record);
                    }
                })) {
            TlsSpec any = new TlsSpec(null, null, null, true, null, true);
            TlsPlan tls = TlsPlan.of(any, "localhost", server.address().getPort(), null);
            PlanMaker plan =
                    new PlanMaker(server.address())
                            .engine(engine)
                            .timeout(Duration.ofMillis(500))
                            .tls(tls.with(library));
            Requests outcome = SmallLoad.run(plan.make(), 3, Duration.ofSeconds(30));
            assertThat(outcome.networkErrors()).isEqualTo(3);
            assertThat(outcome.errors().keySet()).isSubsetOf("tls-timeout", "tls-handshake");
        }
    }
}
