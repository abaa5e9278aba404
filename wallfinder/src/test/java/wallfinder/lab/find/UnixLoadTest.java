package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import wallfinder.diagnosis.AcceptQueue;
import wallfinder.experiment.Gets;
import wallfinder.experiment.LoadSpec;
import wallfinder.experiment.TlsSpec;
import wallfinder.experiment.UsageException;
import wallfinder.lab.PlantedRun;
import wallfinder.lab.PlantedTest;
import wallfinder.linux.EnvironmentException;
import wallfinder.load.UnixServer;
import wallfinder.observation.LoadOutcome;
import wallfinder.record.RunRecord;

/// `load --unix-socket`.
@Tag("sandbox")
class UnixLoadTest extends PlantedTest {
    private static LoadSpec.Http http(Path socket, int connections) {
        return Gets.of(
                "http://localhost/",
                connections,
                true,
                Duration.ofMillis(500),
                socket.toString(),
                TlsSpec.DEFAULT);
    }

    @Test
    void a_service_behind_a_unix_socket_is_driven_and_no_network_wall_is_reported()
            throws Exception {
        Path path = folder.resolve("app.sock");
        try (UnixServer server = new UnixServer(path, 50, true)) {
            UrlLoad.check(http(path, 8));
            RunRecord.Trial trial = run.load(http(path, 8));
            LoadOutcome.Requests load = (LoadOutcome.Requests) trial.observation().load();
            assertThat(load.errors()).as(PlantedRun.describe(trial)).isEmpty();
            // The requests without load come after the load.
            long alone = load.unloadedNanos().getTotalCount();
            assertThat(load.answered()).isPositive();
            assertThat(server.answers.get() - load.answered()).isBetween(alone, alone + 1);
            assertThat(trial.observation().facts().serverWatched()).isTrue();
            assertThat(trial.observation().timeline().series())
                    .isNotEmpty()
                    .noneMatch(s -> s.counter().name().startsWith("TcpExt."));
        }
    }

    @Test
    void a_full_queue_is_named_as_the_accept_queue() throws Exception {
        Path path = folder.resolve("full.sock");
        try (UnixServer server = new UnixServer(path, 1, false)) {
            RunRecord.Trial trial = run.load(http(path, 16));
            assertThat(server.answers.get()).isZero();
            assertThat(trial.observation().load().errors()).containsOnlyKeys("connect-queue-full");
            assertThat(trial.diagnosis().headline()).as(PlantedRun.describe(trial)).isNotNull();
            assertThat(trial.diagnosis().headline().wall()).isInstanceOf(AcceptQueue.class);
        }
    }

    @Test
    void a_path_without_a_listening_unix_socket_is_one_clear_error() throws Exception {
        assertThatThrownBy(() -> UrlLoad.check(http(folder.resolve("none"), 1)))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("no such file");
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> UrlLoad.check(http(file, 1)))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("it is a file");
        Path stale = folder.resolve("stale");
        new UnixServer(stale, 1, false).close();
        assertThatThrownBy(() -> UrlLoad.check(http(stale, 1)))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("nothing listens there");
        assertThatThrownBy(() -> UrlLoad.check(http(Path.of("/" + "x".repeat(107)), 1)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("107");
    }
}
