package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import wallfinder.diagnosis.Remedy;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.UsageException;

class TryValueTest {
    @TempDir Path folder;

    private Experiment trying(String name) throws Exception {
        String text =
                """
                services:
                  web:
                    command: "web {workers} {size} {most} {mode}"
                    ready: tcp://{server}:80
                    memory: 512m
                    cpus: 1.5
                    nofile: 1024
                    pids: 100
                    knobs:
                      workers: { value: 8, moves: server-concurrency, max: 100 }
                      size: { value: 64m, moves: heap }
                      most: { value: 16, moves: server-concurrency, max: 16 }
                      mode: { value: slow, moves: cpu, to: [slow, fast] }
                sandbox:
                  server: { net.core.somaxconn: 128, net.ipv4.tcp_rmem: "4096 8192 16384" }
                  client: { net.ipv4.tcp_tw_reuse: 0 }
                load: { url: "http://{server}:80/" }
                try: [%s]
                """;
        return ExperimentFile.read(
                Files.writeString(folder.resolve("x.yaml"), text.formatted(name)));
    }

    @ParameterizedTest
    @CsvSource({
        "workers, 100",
        "mode, fast",
        "net.core.somaxconn, 2048",
        "net.ipv4.tcp_tw_reuse, 1",
        "web.memory, 8g",
        "web.cpus, 24",
        "web.nofile, 16384",
        "web.pids, 1600",
    })
    void a_setting_gets_a_larger_or_another_value(String name, String to) throws Exception {
        Experiment experiment = trying(name);
        assertThatCode(() -> TryValue.check(experiment)).doesNotThrowAnyException();
        assertThat(TryValue.remedies(experiment)).containsOnlyKeys(name);
        Remedy remedy = TryValue.remedies(experiment).get(name);
        assertThat(remedy.changes())
                .singleElement()
                .satisfies(change -> assertThat(change.to()).isEqualTo(to));
        assertThat(
                        experiment
                                .with(remedy.changes().getFirst().setting(), to)
                                .value(experiment.setting(name)))
                .isEqualTo(to);
    }

    @ParameterizedTest
    @CsvSource({"size, 64m", "most, 16", "net.ipv4.tcp_rmem, 4096 8192 16384"})
    void a_setting_without_another_value_is_refused(String name, String value) throws Exception {
        Experiment experiment = trying(name);
        assertThatThrownBy(() -> TryValue.check(experiment))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("'" + value + "'");
    }
}
