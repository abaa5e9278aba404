package wallfinder.lab.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.Tree;
import wallfinder.experiment.Experiment;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.Matrix;
import wallfinder.lab.study.Study;

class ServicesTextTest {
    private static Experiment read(Experiment experiment) {
        return ExperimentFile.parse(ServicesText.of(experiment), "text", "text");
    }

    static List<Path> experiments() throws Exception {
        try (Stream<Path> files = Files.list(Tree.ROOT.resolve("experiments"))) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("experiments")
    void an_agent_reads_the_services_and_settings_of_each_experiment(Path file) {
        for (Matrix.Cell cell : Study.read(file).cells()) {
            Experiment experiment = cell.experiment();
            Experiment there = read(experiment);
            assertThat(there.services()).isEqualTo(experiment.services());
            assertThat(there.sandbox().server()).isEqualTo(experiment.sandbox().server());
            assertThat(there.name()).isEqualTo(experiment.name());
        }
    }

    @Test
    void every_key_of_a_service_arrives_and_the_service_runs_where_it_is_read() {
        Experiment experiment =
                ExperimentFile.parse(
                        """
                        services:
                          web:
                            command: '{jvm}/bin/java -Dtext="a b" -jar {home}/app.jar --wait={wait}'
                            jvm: 21
                            env: { LANG: C.UTF-8, EMPTY: "" }
                            cwd: /srv
                            user: nobody
                            nofile: 2000
                            pids: 50
                            memory: 300m
                            tcpMemory: 3m
                            swap: 1m
                            cpus: 0.5
                            cpuset: 0-1
                            host: ssh:me@web-1
                            ready: http://{server}:8080/health
                            readyWithin: 1500ms
                            knobs:
                              wait: { value: 5, moves: server-concurrency, max: 100 }
                              way: { value: slow, moves: cpu, to: [fast, faster] }
                          other:
                            command: other
                            host: ssh:me@web-1
                            ready: { log: "it's \\"ready\\"" }
                          third: { command: third, host: ssh:me@web-1, ready: "tcp://{server}:8081" }
                        sandbox: { server: { net.core.somaxconn: 64, resolver: 10.0.0.1 }, client: { net.ipv4.tcp_tw_reuse: 2 } }
                        load: { command: "wrk http://{server}:8080/", duration: 1s }
                        """,
                        "file",
                        "name");
        Experiment there = read(experiment);
        assertThat(experiment.host()).isEqualTo("ssh:me@web-1");
        assertThat(there.host()).isNull();
        assertThat(there.services().toString())
                .isEqualTo(
                        experiment.services().toString().replace("host=ssh:me@web-1", "host=null"));
        assertThat(there.sandbox().server()).isEqualTo(experiment.sandbox().server());
        assertThat(there.sandbox().serverResolver())
                .isEqualTo(experiment.sandbox().serverResolver());
        assertThat(there.sandbox().client()).isEmpty();
    }
}
