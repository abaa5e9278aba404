package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatrixTest {
    private static final String STUDY =
            """
            name: study
            services:
              shop:
                command: "{jvm}/bin/java {config.options} -jar shop.jar --pool={pool} --mode={mode}"
                jvm: 25
                memory: 512m
                env: { WORKER: "{workerJvm}/bin/java" }
                ready: http://{server}:8080/
                knobs:
                  pool: { value: 4, moves: server-concurrency, max: 64 }
            sandbox:
              server: { net.core.somaxconn: "{backlog}" }
              client: { net.ipv4.tcp_tw_reuse: 2 }
            load:
              url: http://{server}:8080/{path}
              connections: {crowd}
              arrival: closed
            matrix:
              MATRIX
            repeat: 1
            """;
    private static final String ALL =
            """
            jvm: [17, 25]
              pool: [4, 8]
              backlog: [128]
              mode: [plain]
              workerJvm: [21]
              config: [{ name: bare, options: "", memory: 1g }, { name: tuned, options: "-Xmx45m -Xss1m", memory: 64m }]
              path: [a]
              crowd: [10]
              arrival: [closed, { rate: 5k }]\
            """;

    @Test
    void each_combination_is_an_experiment_and_the_last_factor_changes_fastest() {
        Matrix matrix = matrix(ALL);

        assertThat(matrix.cells()).hasSize(16);
        assertThat(matrix.cells().get(0).describe())
                .isEqualTo(
                        "jvm 17, pool 4, backlog 128, mode plain, workerJvm 21, config bare, path a,"
                                + " crowd 10, arrival closed");
        assertThat(matrix.cells().get(1).factors()).containsEntry("arrival", "rate 5k");
        assertThat(matrix.cells().get(8).factors()).containsEntry("jvm", "25");
        assertThat(matrix.repeat()).isEqualTo(1);
    }

    @Test
    void a_factor_may_be_part_of_any_value_and_sets_the_setting_of_its_name() {
        Matrix matrix = matrix(ALL);
        Experiment last = matrix.cells().getLast().experiment();
        ServiceSpec shop = last.services().getFirst();

        assertThat(shop.command())
                .isEqualTo("{jvm}/bin/java -Xmx45m -Xss1m -jar shop.jar --pool=8 --mode=plain");
        assertThat(shop.jvm()).isEqualTo("25");
        assertThat(shop.knobs().get("pool").value()).isEqualTo("8");
        assertThat(shop.limits().memoryBytes()).isEqualTo(64L << 20);
        assertThat(shop.env()).containsEntry("WORKER", "/jvms/21/bin/java");
        assertThat(last.sandbox().server()).containsEntry("net.core.somaxconn", "128");
        LoadSpec.Http http = (LoadSpec.Http) last.load();
        assertThat(http.url()).isEqualTo("http://{server}:8080/a");
        assertThat(http.connections()).isEqualTo(10);
        assertThat(http.arrival()).isEqualTo(new Arrival.Rate(5_000));
        assertThat(matrix.cells().getFirst().experiment().services().getFirst().command())
                .startsWith("{jvm}/bin/java  -jar");
    }

    @Test
    void amounts_are_numbers_and_jvms_are_not() {
        Matrix matrix = matrix(ALL);

        assertThat(matrix.factors().stream().filter(Matrix.Factor::isNumber))
                .extracting(Matrix.Factor::name)
                .containsExactly("pool", "backlog", "crowd");
        assertThat(matrix.cells().getFirst().jvms()).containsExactlyInAnyOrder("17", "21");
    }

    @Test
    void a_setting_that_the_experiment_lacks_is_added_by_its_full_name() {
        Experiment cell =
                plain(
                        "shop.pids: [99]\n  client.net.ipv4.tcp_fin_timeout: [5]\n  cpus: [2]\n"
                                + "  load.timeout: [3s]\n  keepalive: [false]");

        assertThat(cell.services().getFirst().limits().pids()).isEqualTo(99);
        assertThat(cell.services().getFirst().limits().cpus()).isEqualTo(2);
        assertThat(cell.sandbox().client())
                .containsEntry("net.ipv4.tcp_fin_timeout", "5")
                .containsEntry("net.ipv4.tcp_tw_reuse", "2");
        assertThat(((LoadSpec.Http) cell.load()).timeouts().whole()).hasSeconds(3);
        assertThat(((LoadSpec.Http) cell.load()).keepalive()).isFalse();
    }

    @Test
    void without_a_matrix_there_is_one_cell() {
        Matrix matrix = parse(PLAIN);

        assertThat(matrix.factors()).isEmpty();
        assertThat(matrix.cells())
                .singleElement()
                .satisfies(cell -> {
                    assertThat(cell.factors()).isEmpty();
                    assertThat(cell.jvms()).containsExactly("25");
                });
    }

    @Test
    void settings_of_the_load_command_itself_do_not_make_another_load() {
        String command =
                PLAIN.replaceAll(
                        "(?s)load:.*?\n(?=repeat)",
                        """
                        load:
                          command: "{clientJvm}/bin/java -jar load.jar -t {threads} {consume}"
                          knobs: { consume: { value: close, moves: connection-churn } }
                        matrix:
                          threads: [16, 48]
                          clientJvm: [17, /opt/other]
                          shop.jvm: [21]
                          consume: [close, read]
                        """);
        List<Matrix.Cell> cells = parse(command).cells();

        assertThat(cells.subList(0, 4))
                .extracting(Matrix.Cell::load)
                .containsOnly(cells.getFirst().load());
        assertThat(cells.subList(4, 8))
                .extracting(Matrix.Cell::load)
                .containsOnly(cells.getLast().load());
        assertThat(cells.getLast().load())
                .isEqualTo("command {clientJvm}/bin/java -jar load.jar -t 48 {consume}");
        assertThat(cells.getLast().jvms()).containsExactlyInAnyOrder("/opt/other", "21");
        LoadSpec.Command load = (LoadSpec.Command) cells.getLast().experiment().load();
        assertThat(load.program().jvm()).isEqualTo("/opt/other");
        assertThat(load.program().command())
                .isEqualTo("{clientJvm}/bin/java -jar load.jar -t 48 read");
        assertThat(load.program().knobs().get("consume").value()).isEqualTo("read");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "pol: [1, 2] | line 19, matrix.pol: 'pol' is not used | 'pool'",
                "pool: 8 | matrix.pool: expected a list | [8, 64]",
                "pool: [] | matrix.pool: it has no value | [8, 64]",
                "pool: [8, 8] | matrix.pool: '8' appears twice | Keep one",
                "memory: [1q] | line 19, services.shop.memory, with memory 1q | ",
                "server: [a] | 'server' cannot be the name of a factor | Rename",
                "config: [{ name: a, x: 1 }, { name: b }] | keys differ from those of the first | name, x",
                "config: [{ name: a, poool: 1 }] | 'poool' is not used | 'pool'",
                "pool: [null] | there is no value | \"\"",
            })
    void an_error_names_its_place(String matrix, String message, String advice) {
        UsageException error = errorOf(withMatrix(PLAIN, matrix));

        assertThat(error).hasMessageContaining(message);
        assertThat(error.todo()).contains(advice == null ? "" : advice);
    }

    @Test
    void an_unknown_name_in_braces_names_the_nearest_factor() {
        UsageException error =
                errorOf(
                        withMatrix(
                                PLAIN.replace("connections: 5", "connections: \"{crwd}\""),
                                "crowd: [5]\n  pool: [1]"));

        assertThat(error).hasMessageContaining("'crowd' is not used");
        UsageException unknown =
                errorOf(
                        withMatrix(
                                PLAIN.replace("connections: 5", "connections: \"{crwd}\"")
                                        .replace("cwd: x", "cwd: \"{crowd}\""),
                                "crowd: [5]"));
        assertThat(unknown).hasMessageContaining("load.connections").hasMessageContaining("{crwd}");
        assertThat(unknown.todo()).contains("'crowd'");
    }

    @Test
    void too_many_cells_are_refused_before_anything_runs() {
        String values = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]";
        UsageException error =
                errorOf(
                        withMatrix(
                                PLAIN,
                                "pool: %s\n  connections: %s\n  cpus: %s"
                                        .formatted(values, values, values)));

        assertThat(error)
                .hasMessageContaining(
                        "13 x 13 x 13 cells, each measured 1 times, are more than 1000");
    }

    @Test
    void an_ambiguous_setting_needs_its_full_name() {
        String two =
                PLAIN.replace(
                        "sandbox:",
                        "  db: { command: db, memory: 1g, ready: \"tcp://{server}:1\" }\nsandbox:");
        UsageException error = errorOf(withMatrix(two, "memory: [1g]"));

        assertThat(error).hasMessageContaining("matrix.memory").hasMessageContaining("ambiguous");
        assertThat(error.todo()).contains("shop.memory or db.memory");
    }

    @Test
    void a_jvm_that_its_service_does_not_use_is_refused() {
        UsageException error =
                errorOf(withMatrix(PLAIN.replace("{jvm}/bin/java", "java"), "jvm: [17, 25]"));

        assertThat(error).hasMessageContaining("'shop' is not started with {jvm}");
    }

    private static final String PLAIN =
            """
            services:
              shop:
                command: "{jvm}/bin/java -jar shop.jar --pool={pool}"
                jvm: 25
                memory: 512m
                cwd: x
                ready: http://{server}:8080/
                knobs:
                  pool: { value: 4, moves: server-concurrency, max: 64 }
            sandbox:
              client: { net.ipv4.tcp_tw_reuse: 2 }
            load:
              url: http://{server}:8080/
              connections: 5
              arrival: closed
              duration: 1s
            repeat: 1
            """;

    private static String withMatrix(String yaml, String matrix) {
        return yaml + "matrix:\n  " + matrix + "\n";
    }

    private static Experiment plain(String matrix) {
        List<Matrix.Cell> cells = parse(withMatrix(PLAIN, matrix)).cells();
        assertThat(cells).hasSize(1);
        return cells.getFirst().experiment();
    }

    private static Matrix matrix(String factors) {
        return parse(STUDY.replace("MATRIX", factors));
    }

    private static Matrix parse(String yaml) {
        Map<String, Path> jvms = Map.of("21", Path.of("/jvms/21"));
        return ExperimentFile.parseMatrix(
                yaml, "study.yaml", "study", asked -> Optional.ofNullable(jvms.get(asked)));
    }

    private static UsageException errorOf(String yaml) {
        UsageException error = catchThrowableOfType(UsageException.class, () -> parse(yaml));
        assertThat(error).as("a complaint about\n%s", yaml).isNotNull();
        return error;
    }
}
