package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.experiment.TlsSpec;

/// Connections that show what a handshake costs a service.
@Timeout(60)
class BareConnectionsTest {
    private static final int COUNT = 5;
    private static final Duration LONGEST = Duration.ofSeconds(20);

    @TempDir static Path folder;
    private static Certificates certificates;

    @BeforeAll
    static void make() {
        certificates = Certificates.in(folder);
    }

    private static LoadPlan plan(ScriptedServer server, String version) {
        TlsSpec spec = new TlsSpec(null, null, null, true, version, true);
        return new PlanMaker(server.address())
                .tls(TlsPlan.of(spec, "localhost", server.address().getPort(), null))
                .make();
    }

    private static ScriptedServer serving() {
        var context = certificates.server("server");
        return new ScriptedServer(visit -> {
            ScriptedServer.Visit tls = visit.secured(context, _ -> {});
            while (tls.readRequest()) {
                tls.answer(ScriptedServer.OK);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "1.3"})
    void each_handshake_succeeds_without_a_request(String version) {
        try (ScriptedServer server = serving()) {
            LoadPlan plan = plan(server, version);
            // The code of both ends is cold, so on a slow host the first one may take too long.
            while (BareConnections.shake(plan, 1, LONGEST).count() == 0) {
                assertThat(server.requests.get()).isZero();
            }
            long before = server.connections.get();
            BareConnections.Done done = BareConnections.shake(plan, COUNT, LONGEST);
            assertThat(done.count()).isEqualTo(COUNT);
            assertThat(done.seconds()).isPositive();
            assertThat(server.connections.get() - before).isEqualTo(COUNT);
            assertThat(server.requests.get()).isZero();
        }
    }

    @Test
    void connections_without_a_handshake_are_closed_by_both_ends() {
        try (ScriptedServer server = ScriptedServer.answering(ScriptedServer.OK)) {
            BareConnections.Done done =
                    BareConnections.connect(plan(server, "1.3"), COUNT, LONGEST);
            assertThat(done.count()).isEqualTo(COUNT);
            assertThat(server.requests.get()).isZero();
        }
    }

    @Test
    void a_server_that_never_closes_ends_them() {
        CountDownLatch end = new CountDownLatch(1);
        try (ScriptedServer server =
                new ScriptedServer(_ -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })) {
            assertThat(BareConnections.connect(plan(server, "1.3"), COUNT, LONGEST).count())
                    .isZero();
        } finally {
            end.countDown();
        }
    }

    @Test
    void a_server_that_sends_without_end_is_left_alone() {
        byte[] endless = new byte[1 << 10];
        try (ScriptedServer server =
                new ScriptedServer(visit -> {
                    while (visit.number > 0) {
                        visit.out.write(endless);
                    }
                })) {
            assertThat(BareConnections.connect(plan(server, "1.3"), COUNT, LONGEST).count())
                    .isEqualTo(COUNT);
            assertThat(BareConnections.shake(plan(server, "1.3"), COUNT, LONGEST).count()).isZero();
        }
    }
}
