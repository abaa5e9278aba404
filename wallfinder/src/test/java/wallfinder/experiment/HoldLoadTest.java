package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A load of an experiment that holds connections.
class HoldLoadTest {
    private static final String SERVICES = "services: { web: { command: a, ready: { log: a } } }\n";
    private static final String FULL =
            SERVICES
                    + """
                    load:
                      hold: tcp://{server}:8000-8003
                      connections: 50k
                      threads: 4
                      source: "{client}"
                      connectRate: 5k
                      connectConcurrency: 1k
                      connectTimeout: 3s
                      interval: 20s
                      jitter: 2s
                      size: 64
                      timeout: 4s
                      keepaliveInterval: 60s
                      onError: reconnect
                      memoryFloor: 2g
                      duration: 30s
                    """;

    @TempDir private Path folder;

    private Path file(String text) throws Exception {
        return Files.writeString(folder.resolve("held.yaml"), text);
    }

    private LoadSpec.Hold held(String text) throws Exception {
        return (LoadSpec.Hold) ExperimentFile.read(file(text)).load();
    }

    @Test
    void the_keys_are_the_options_of_the_command() throws Exception {
        LoadSpec.Hold load = held(FULL);
        assertThat(load.spec())
                .isEqualTo(
                        new HoldSpec(
                                "{server}",
                                8000,
                                4,
                                50_000,
                                4,
                                new HoldSpec.Messages(
                                        HoldSpec.Kind.ECHO,
                                        Duration.ofSeconds(20),
                                        Duration.ofSeconds(2),
                                        64,
                                        Duration.ofSeconds(4)),
                                new HoldSpec.Opening(5_000, 1_000, Duration.ofSeconds(3)),
                                Duration.ofSeconds(60),
                                HoldSpec.OnError.RECONNECT,
                                Duration.ofSeconds(30)));
        assertThat(load.memoryFloorBytes()).isEqualTo(2L << 30);
        LoadSpec.Hold filled = load.filled(Map.of("server", "10.0.0.1", "client", "10.0.0.2"));
        assertThat(filled.spec().host()).isEqualTo("10.0.0.1");
        assertThat(filled.source()).isEqualTo("10.0.0.2");
    }

    @Test
    void the_defaults_are_those_of_the_command() throws Exception {
        LoadSpec.Hold load = held(SERVICES + "load: { hold: \"tcp://{server}:1\" }");
        assertThat(load.connections()).isEqualTo(100);
        assertThat(load.duration()).hasSeconds(10);
        assertThat(load.source()).isNull();
        assertThat(load.spec().messages().interval()).hasSeconds(1);
        assertThat(load.spec().opening().perSecond()).isZero();
        assertThat(load.spec().keepalive()).isZero();
        LoadSpec.Hold idle =
                held(SERVICES + "load: { hold: \"tcp://{server}:1\", idle: true, warmup: 10s }");
        assertThat(idle.spec().messages().kind()).isEqualTo(HoldSpec.Kind.IDLE);
        assertThat(idle.spec().keepalive()).hasSeconds(60);
        assertThat(idle.spec().opening().perSecond()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "interval: 20s | interval: 1s | load.jitter | longer than the interval",
                "onError: reconnect | onError: stopp | load.onError | Did you mean",
                "duration: 30s | warmup: 1s | load.connectRate | both say how",
                "size: 64 | keepalive: false | keepalive | there is no key",
                "{server} | {serve} | load.hold | there is no {serve}",
                "8000-8003 | 8003-8000 | load.hold | its ports are not a range",
                "keepaliveInterval: 60s | keepaliveInterval: 1ms | load.keepaliveInterval | between 1 and",
                "size: 64 | push: true;idle: true | load.push | reads nothing"
            })
    void an_error_in_a_hold_load_names_its_place(String from, String to, String where, String why)
            throws Exception {
        Path file = file(FULL.replace(from, to.replace(";", "\n  ")));
        assertThatThrownBy(() -> ExperimentFile.read(file))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(where)
                .satisfies(e -> {
                    UsageException error = (UsageException) e;
                    assertThat(error.getMessage() + error.todo()).contains(why);
                });
    }

    @Test
    void a_matrix_may_vary_held_connections_which_makes_another_load() throws Exception {
        Matrix matrix =
                ExperimentFile.readMatrix(
                        file(FULL + "matrix: { connections: [10, 20], jitter: [0s, 1s] }"),
                        jvm -> Optional.empty());
        List<LoadSpec.Hold> loads =
                matrix.cells().stream()
                        .map(cell -> (LoadSpec.Hold) cell.experiment().load())
                        .toList();
        assertThat(loads).extracting(LoadSpec.Hold::connections).containsExactly(10, 10, 20, 20);
        assertThat(matrix.cells()).extracting(Matrix.Cell::load).doesNotHaveDuplicates();
    }
}
