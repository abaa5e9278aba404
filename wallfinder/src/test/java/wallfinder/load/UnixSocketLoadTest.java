package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import wallfinder.experiment.Arrival;
import wallfinder.observation.LoadOutcome.Requests;

@Timeout(60)
@ParameterizedClass
@EnumSource(names = {"IO_URING", "EPOLL"})
class UnixSocketLoadTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private final EngineChoice engine;

    @TempDir Path folder;

    UnixSocketLoadTest(EngineChoice engine) {
        this.engine = engine;
    }

    private Path path() {
        return folder.resolve("app.sock");
    }

    private PlanMaker plan() {
        return new PlanMaker(UnixDomainSocketAddress.of(path())).engine(engine);
    }

    @Test
    void requests_over_a_unix_socket_are_counted_as_the_server_counts_them() throws IOException {
        try (UnixServer server = new UnixServer(path(), 50, true)) {
            Requests outcome = SmallLoad.run(plan().connections(8).threads(2).make(), 400, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(400).isEqualTo(server.answers.get());
            assertThat(outcome.connectionsOpened())
                    .isEqualTo(8)
                    .isEqualTo(server.connections.get());
            assertThat(outcome.times().connectNanos().getTotalCount()).isEqualTo(8);
        }
    }

    @Test
    void one_connection_per_request_works_too() throws IOException {
        try (UnixServer server = new UnixServer(path(), 50, true)) {
            Requests outcome =
                    SmallLoad.run(plan().connections(4).keepalive(false).make(), 200, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(200).isEqualTo(server.connections.get());
        }
    }

    @Test
    void an_open_loop_opens_its_connections_first() throws IOException {
        try (UnixServer server = new UnixServer(path(), 50, true)) {
            PlanMaker plan = plan().connections(20).arrival(new Arrival.Rate(2_000));
            Requests outcome = SmallLoad.run(plan.make(), 200, LONG);
            assertThat(outcome.errors()).isEmpty();
            assertThat(server.connections.get()).isEqualTo(20);
        }
    }

    /// The kernel refuses at once, while TCP would silently retransmit the SYN.
    @Test
    void a_full_accept_queue_is_a_separate_error() throws IOException {
        try (UnixServer server = new UnixServer(path(), 2, false)) {
            PlanMaker plan = plan().connections(10).timeout(Duration.ofMillis(500));
            Requests outcome = SmallLoad.run(plan.make(), 10, LONG);
            assertThat(server.answers.get()).isZero();
            assertThat(outcome.errors()).containsOnlyKeys("connect-queue-full", "timeout");
            assertThat(outcome.errors()).containsEntry("connect-queue-full", 7L);
            assertThat(outcome.failures().errorsByPhase())
                    .containsOnlyKeys("connect", "first-byte");
        }
    }

    @Test
    void a_socket_without_a_listener_refuses() throws IOException {
        new UnixServer(path(), 2, true).close();
        Requests outcome = SmallLoad.run(plan().make(), 2, LONG);
        assertThat(outcome.errors()).containsOnlyKeys("connect-refused");
    }
}
