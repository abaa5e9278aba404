package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ExperimentFileTest {
    private static final String FULL =
            """
            name: full
            services:
              users:
                command: "{jvm}/bin/java -jar app.jar --backlog={backlog}"
                jvm: 25
                env: { OPTS: "-Xmx64m", EMPTY: "" }
                cwd: "{home}/services"
                nofile: 1k
                pids: 200
                memory: 512m
                cpus: 0.5
                cpuset: 0-1
                ready: http://{server}:8080/health
                knobs:
                  backlog: { value: 128, moves: accept-queue, max: 65535 }
              store:
                command: store {server}
                ready: { log: "Started" }
                knobs:
                  pool: { value: 4, moves: server-concurrency }
            sandbox:
              server: { net.core.somaxconn: 128 }
              client: { net.ipv4.ip_local_port_range: "15000 64000" }
            load:
              url: http://{server}:8080/users/1
              method: POST
              headers: { Content-Type: application/json }
              body: '{"id": 1}'
              connections: 256
              threads: 2
              keepalive: false
              arrival: lockstep
              duration: 20s
              warmup: 5s
              timeout: 500ms
            try: [backlog, users.cpus, net.core.somaxconn]
            repeat: 7
            objective: p99 < 50ms
            """;

    private static final String SMALL =
            """
            services:
              echo:
                command: echo-server
                ready: tcp://{server}:7
            load:
              url: http://{server}:7/
            """;

    @Test
    void every_key_of_the_vocabulary_is_read() {
        Experiment experiment = parse(FULL);

        ServiceSpec users = experiment.services().getFirst();
        assertThat(experiment.name()).isEqualTo("full");
        assertThat(users.jvm()).isEqualTo("25");
        assertThat(users.env()).containsEntry("OPTS", "-Xmx64m").containsEntry("EMPTY", "");
        assertThat(users.limits())
                .isEqualTo(new Limits(1_000L, 200L, 512L << 20, 0.5, "0-1", null, null));
        assertThat(users.ready()).isEqualTo(new Readiness.Url("http://{server}:8080/health"));
        Knob backlog = new Knob("128", WallId.ACCEPT_QUEUE, 65_535L, List.of());
        assertThat(users.knobs()).isEqualTo(Map.of("backlog", backlog));
        assertThat(experiment.services().getLast().ready()).isEqualTo(new Readiness.Log("Started"));
        assertThat(experiment.sandbox().client())
                .containsEntry("net.ipv4.ip_local_port_range", "15000 64000");
        Header json = new Header("Content-Type", "application/json");
        assertThat(experiment.load())
                .isEqualTo(
                        new LoadSpec.Http(
                                "http://{server}:8080/users/1",
                                List.of(
                                        new RequestSpec(
                                                "POST",
                                                "/users/1",
                                                List.of(json),
                                                new Body.Text("{\"id\": 1}"),
                                                1)),
                                false,
                                256,
                                2,
                                false,
                                new Arrival.Lockstep(),
                                Duration.ofSeconds(20),
                                LoadSpec.Http.NO_REQUESTS_MAX,
                                Duration.ofSeconds(5),
                                Timeouts.whole(Duration.ofMillis(500)),
                                null,
                                TlsSpec.DEFAULT,
                                Expectation.DEFAULT,
                                List.of()));
        assertThat(experiment.tries())
                .containsExactly("backlog", "users.cpus", "net.core.somaxconn");
        assertThat(experiment.repeat()).isEqualTo(7);
        assertThat(experiment.objective()).isEqualTo(Objective.parse("p99 < 50ms"));
        assertThat(experiment.text()).isEqualTo(FULL);
    }

    @Test
    void an_open_loop_has_a_constant_rate_a_poisson_process_or_stages() {
        assertThat(arrival("{ rate: 2.5k }")).isEqualTo(new Arrival.Rate(2_500));
        assertThat(arrival("{ poisson: 5k }")).isEqualTo(new Arrival.Poisson(5_000));
        assertThat(arrival("{ poisson: 5k, seed: 7 }")).isEqualTo(new Arrival.Poisson(5_000, 7L));
        assertThat(arrival("{ stages: [{ for: 30s, rate: 1k }, { for: 1m, rate: 1k, to: 5k }] }"))
                .isEqualTo(
                        new Arrival.Stages(
                                List.of(
                                        new Arrival.Stage(Duration.ofSeconds(30), 1_000, 1_000),
                                        new Arrival.Stage(Duration.ofMinutes(1), 1_000, 5_000))));
    }

    private static Arrival arrival(String text) {
        return ((LoadSpec.Http) parse(FULL.replace("arrival: lockstep", "arrival: " + text)).load())
                .arrival();
    }

    @Test
    void stages_set_the_duration_unless_the_load_does() {
        String stages = "arrival: { stages: [{ for: 30s, rate: 1k }, { for: 5s, rate: 0 }] }";
        assertThat(parse(SMALL + "  " + stages + "\n").load().duration())
                .isEqualTo(Duration.ofSeconds(35));
        assertThat(parse(FULL.replace("arrival: lockstep", stages)).load().duration())
                .isEqualTo(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{ rate: 0 }",
                "{ rate: 1k, poisson: 1k }",
                "{ rate: 1k, seed: 1 }",
                "{ rat: 1k }",
                "{ stages: [] }",
                "{ stages: [{ rate: 1k }] }",
                "{ stages: [{ for: 0s, rate: 1k }] }",
                "{ stages: [{ for: 1s, rate: 100M }] }",
                "poisson",
                "[]"
            })
    void an_error_in_an_arrival_names_its_line(String arrival) {
        assertThat(errorOf(FULL.replace("arrival: lockstep", "arrival: " + arrival)))
                .hasMessageContaining("line " + lineOf("arrival: lockstep"))
                .hasMessageContaining("load.arrival");
    }

    @Test
    void missing_keys_have_defaults() {
        Experiment experiment = parse(SMALL);

        assertThat(experiment.name()).isEqualTo("small");
        assertThat(experiment.repeat()).isEqualTo(5);
        assertThat(experiment.objective()).isNull();
        assertThat(experiment.tries()).isEmpty();
        assertThat(experiment.sandbox().server()).isEmpty();
        ServiceSpec echo = experiment.services().getFirst();
        assertThat(echo.limits()).isEqualTo(Limits.NONE);
        assertThat(echo.ready()).isEqualTo(new Readiness.Tcp("{server}", "7"));
        assertThat(experiment.load())
                .isEqualTo(
                        new LoadSpec.Http(
                                "http://{server}:7/",
                                List.of(Gets.request("/")),
                                false,
                                64,
                                1,
                                true,
                                new Arrival.Closed(),
                                Duration.ofSeconds(10),
                                LoadSpec.Http.NO_REQUESTS_MAX,
                                Duration.ofSeconds(60),
                                Timeouts.whole(Duration.ofSeconds(10)),
                                null,
                                TlsSpec.DEFAULT,
                                Expectation.DEFAULT,
                                List.of()));
    }

    @Test
    void each_phase_can_have_a_time_out_and_the_target_can_be_a_unix_socket() {
        String phases = "timeouts: { connect: 1s, whole: 3s }\n  unix: \"{server}.sock\"";
        LoadSpec load = parse(FULL.replace("timeout: 500ms", phases)).load();
        assertThat(load)
                .isInstanceOfSatisfying(
                        LoadSpec.Http.class,
                        http -> {
                            assertThat(http.timeouts())
                                    .isEqualTo(
                                            new Timeouts(
                                                    Duration.ofSeconds(1),
                                                    Duration.ofSeconds(3),
                                                    Duration.ofSeconds(3)));
                            assertThat(http.unix()).isEqualTo("{server}.sock");
                        });
        String both = "timeout: 500ms\n  timeouts: { whole: 1s }";
        assertThat(errorOf(FULL.replace("timeout: 500ms", both)))
                .hasMessageContaining("load.timeouts");
    }

    @Test
    void a_load_can_be_a_command_that_uses_the_knobs_of_every_service() {
        String load =
                "load:\n  command: drive -n {pool} {backlog} {clientJvm}\n  jvm: 17\n"
                        + "  measure: { requests: 'calls: (\\d+)', errors: 'bad: (\\d+)' }\n";
        String text = FULL.replaceAll("(?s)load:.*(?=try:)", load.replace("\\", "\\\\"));

        assertThat(parse(text).load())
                .isEqualTo(
                        new LoadSpec.Command(
                                new ServiceSpec(
                                        "load",
                                        "drive -n {pool} {backlog} {clientJvm}",
                                        "17",
                                        Map.of(),
                                        null,
                                        null,
                                        null,
                                        Limits.NONE,
                                        new Readiness.Log(""),
                                        ServiceSpec.READY_WITHIN_DEFAULT,
                                        Map.of()),
                                Duration.ofSeconds(10),
                                new LoadSpec.Measure(
                                        null, "calls: (\\d+)", null, null, "bad: (\\d+)")));
    }

    @Test
    void the_error_for_an_unknown_key_names_its_line_and_the_nearest_known_one() {
        UsageException error = errorOf(FULL.replace("    knobs:", "    knob:"));
        assertThat(error)
                .hasMessageContaining("full.yaml, line 14, services.users.knob")
                .hasMessageContaining("no key 'knob'");
        assertThat(error.todo()).startsWith("Did you mean 'knobs'?").contains("cpuset");
    }

    @ParameterizedTest
    @CsvSource({
        "objective:, objectif:, 'Did you mean ''objective''?'",
        "connections:, conections:, 'Did you mean ''connections''?'",
        "moves: accept-queue, moves: acceptqueue, 'Did you mean ''accept-queue''?'",
        "{backlog}, {baklog}, 'Did you mean ''backlog''?'",
        "{home}, {hoem}, 'Did you mean ''home''?'",
        "http://{server}:8080/users, http://{sever}:8080/users, 'Did you mean ''server''?'",
        "lockstep, lokstep, 'Did you mean ''lockstep''?'",
        "'try: [backlog', 'try: [baklog', 'Did you mean ''backlog''?'",
        "OPTS: \"-Xmx64m, OPTS: \"{jmv}, 'Did you mean ''jvm''?'",
        "p99 < 50ms, thruput > 5, 'Did you mean ''throughput''?'",
    })
    void a_mistyped_name_is_corrected_by_advice(String right, String wrong, String advice) {
        assertThat(FULL).contains(right);

        assertThat(errorOf(FULL.replace(right, wrong)).todo()).startsWith(advice);
    }

    @ParameterizedTest
    @CsvSource({
        "memory: 512m, memory: lots, services.users.memory, 512m",
        "nofile: 1k, nofile: 0, services.users.nofile, 1024",
        "cpus: 0.5, cpus: 0, services.users.cpus, no limit",
        "cpuset: 0-1, cpuset: all, services.users.cpuset, '0-2,5'",
        "keepalive: false, keepalive: no, load.keepalive, true or false",
        "connections: 256, connections: 0, load.connections, 64",
        "duration: 20s, duration: 0s, load.duration, 10s",
        "duration: 20s, duration: soon, load.duration, 30s",
        "url: http://, url: ftp://, load.url, http://{server}",
        "'url: http://', 'tls: { version: 1 }\n  url: https://', load.tls, choose one of them",
        "'url: http://', 'tls: { insecre: true }\n  url: https://', load.tls.insecre, insecure",
        "8080/users, 80800/users, load.url, http://{server}",
        "method: POST, method: 'po st', load.method, GET",
        "repeat: 7, repeat: 1, repeat, 5",
        "repeat: 7, repeat: [], repeat, 5",
        "'ready: { log: \"Started\" }', ready: soon, services.store.ready, tcp://",
        "net.core.somaxconn: 128, kernel.panic: 1, sandbox.server.kernel.panic, net.core",
        "value: 4, value: '', services.store.knobs.pool.value, 128",
        "max: 65535, max: 64, services.users.knobs.backlog.value, max",
        "p99 < 50ms, p99 < 50, objective, 50ms",
        "'try: [backlog,', 'try: [backlog, backlog,', try, Keep one",
        "'cwd: \"{home}/services\"', 'cwd:', services.users.cwd, services/app",
    })
    void the_error_for_a_bad_value_names_its_line_and_gives_an_example(
            String right, String wrong, String path, String advice) {
        assertThat(FULL).contains(right);
        UsageException error = errorOf(FULL.replace(right, wrong));

        assertThat(error)
                .hasMessageStartingWith("full.yaml, line " + lineOf(right) + ", " + path + ":");
        assertThat(error.todo()).contains(advice);
    }

    @Test
    void only_run_accepts_a_matrix() {
        UsageException error = errorOf(FULL.replace("repeat: 7", "matrix: { jvm: [17, 25] }"));

        assertThat(error).hasMessageContaining(", matrix: a matrix is many experiments");
        assertThat(error.todo()).contains("wallfinder run");
    }

    @ParameterizedTest
    @CsvSource({
        "command, '    command: echo-server\n', services.echo: 'command' is missing",
        "ready, '    ready: tcp://{server}:7\n', services.echo: 'ready' is missing",
        "url, '  url: http://{server}:7/\n', 'load: expected a section, not nothing'",
        "load, 'load:\n  url: http://{server}:7/\n', 'line 1: ''load'' is missing'",
    })
    void the_error_for_a_missing_required_key_names_it(String key, String line, String message) {
        assertThat(SMALL).contains(line);

        assertThat(errorOf(SMALL.replace(line, "")))
                .hasMessageContaining(message.replace("''", "'"))
                .hasMessageContaining(key.equals("url") ? "load" : key);
    }

    @Test
    void a_load_needs_exactly_one_driver() {
        String both = SMALL + "  command: wrk\n";
        String none = SMALL.replace("url: http://{server}:7/", "connections: 5");

        assertThat(errorOf(both)).hasMessageContaining("both 'url' and 'command'");
        assertThat(errorOf(none)).hasMessageContaining("needs 'url', 'command' or 'hold'");
    }

    @Test
    void a_load_command_has_no_keys_of_our_own_engine() {
        String text = SMALL.replace("url: http://{server}:7/", "command: wrk\n  connections: 5");

        assertThat(errorOf(text)).hasMessageContaining("load.connections: there is no key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no group", "two (a) (b)", "open ("})
    void a_measure_is_a_regular_expression_with_one_group(String regex) {
        String text =
                SMALL.replace(
                        "url: http://{server}:7/",
                        "command: wrk\n  measure: { requests: '" + regex + "' }");

        assertThat(errorOf(text)).hasMessageContaining("load.measure.requests");
        String begin = text.replace("{ requests: '" + regex, "{ requests: '(a)', begin: '(a)");
        assertThat(errorOf(begin)).hasMessageContaining("load.measure.begin");
    }

    @Test
    void a_key_that_appears_twice_is_an_error() {
        assertThat(errorOf(SMALL + "  url: http://{server}:8/\n"))
                .hasMessageContaining("line 7, load.url: this key appears twice");
    }

    @Test
    void two_services_cannot_share_the_name_of_a_knob() {
        assertThat(errorOf(FULL.replace("pool:", "backlog:")))
                .hasMessageContaining("services.store: its knob 'backlog' is also one of 'users'");
    }

    @Test
    void a_sysctl_of_both_ends_needs_its_full_name_in_try() {
        String text = FULL.replace("net.ipv4.ip_local_port_range", "net.core.somaxconn");

        UsageException error = errorOf(text);

        assertThat(error).hasMessageContaining("ambiguous");
        assertThat(error.todo()).contains("'client.net.core.somaxconn'");
        Experiment full = parse(text.replace(", net.core.somaxconn]", "]"));
        assertThat(full.setting("client.net.core.somaxconn"))
                .isEqualTo(new Setting.OfSysctl(false, "net.core.somaxconn"));
    }

    @Test
    void an_unquoted_brace_at_the_start_is_explained() {
        String text = SMALL.replace("echo-server", "{server} x");

        assertThat(errorOf(text).todo()).contains("quotes");
        assertThat(errorOf(SMALL.replace("echo-server", "{server}")).todo()).contains("quotes");
    }

    @Test
    void broken_yaml_is_one_message_with_line_and_column() {
        UsageException error = errorOf(SMALL.replace("load:", "load: ["));

        assertThat(error.getMessage())
                .startsWith("full.yaml, line ")
                .contains("column ")
                .doesNotContain("\n");
    }

    @Test
    void a_file_with_endless_nesting_is_refused_without_exhausting_the_stack() {
        assertThat(errorOf("[".repeat(500_000))).hasMessageContaining("nested too deep");
        assertThat(errorOf("a: &x [*x]\n")).isNotNull();
    }

    @Test
    void a_long_invalid_value_is_refused_with_a_short_message() {
        assertThat(errorOf(FULL.replace("0-1", "1" + ",1".repeat(100_000))).getMessage())
                .contains("services.users.cpuset")
                .hasSizeLessThan(400);
        String sysctl = "? net" + ".a".repeat(100_000) + "\n    : 1";
        assertThat(errorOf(FULL.replace("{ net.core.somaxconn: 128 }", "\n    " + sysctl)))
                .hasMessageContaining("not a sysctl");
    }

    @ParameterizedTest
    @CsvSource({
        "'', is empty",
        "'# nothing\n', is empty",
        "'- a\n- b\n', top level is not a section",
        "'word', top level is not a section",
        "'a: 1\n---\nb: 2\n', not valid YAML",
    })
    void a_file_without_an_experiment_is_refused(String text, String message) {
        assertThat(errorOf(text)).hasMessageContaining(message);
    }

    @Test
    void an_unreadable_file_is_refused(@TempDir Path folder) throws IOException {
        Path large = Files.write(folder.resolve("large.yaml"), new byte[(1 << 20) + 1]);
        Path binary = Files.write(folder.resolve("binary.yaml"), new byte[] {(byte) 0xff, 0});

        assertThat(errorOf(folder.resolve("none.yaml"))).hasMessageContaining("no such file");
        assertThat(errorOf(folder)).hasMessageContaining("it is a directory");
        assertThat(errorOf(large)).hasMessageContaining("larger than 1 MB");
        assertThat(errorOf(binary)).hasMessageContaining("not text in UTF-8");
    }

    @Test
    void an_experiment_without_a_name_is_named_after_its_file(@TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(folder.resolve("my study.yaml"), SMALL);

        assertThat(ExperimentFile.read(file).name()).isEqualTo("my-study");
    }

    @Test
    void a_setting_is_found_by_its_name_and_can_be_read_and_changed() {
        Experiment experiment = parse(FULL);
        for (List<String> turn :
                List.of(
                        List.of("backlog", "128", "4096"),
                        List.of("users.backlog", "128", "4096"),
                        List.of("net.core.somaxconn", "128", "4096"),
                        List.of("client.net.ipv4.ip_local_port_range", "15000 64000", "1 2"),
                        List.of("users.cpus", "0.5", "2"))) {
            Setting setting = experiment.setting(turn.get(0));
            Experiment turned = experiment.with(setting, turn.get(2));

            assertThat(experiment.value(setting)).isEqualTo(turn.get(1));
            assertThat(turned.value(setting)).isEqualTo(turn.get(2));
            assertThat(turned.with(setting, turn.get(1))).isEqualTo(experiment);
        }
    }

    @Test
    void a_sysctl_that_the_experiment_does_not_set_has_no_value_and_can_be_set() {
        Setting setting = new Setting.OfSysctl(true, "net.ipv4.tcp_syncookies");
        Experiment experiment = parse(SMALL);

        assertThat(experiment.value(setting)).isNull();
        assertThat(experiment.with(setting, "0").value(setting)).isEqualTo("0");
    }

    private static int lineOf(String part) {
        return 1
                + (int)
                        FULL.substring(0, FULL.indexOf(part))
                                .chars()
                                .filter(c -> c == '\n')
                                .count();
    }

    private static Experiment parse(String text) {
        return ExperimentFile.parse(text, "full.yaml", "small");
    }

    private static UsageException errorOf(String text) {
        return catchThrowableOfType(UsageException.class, () -> parse(text));
    }

    private static UsageException errorOf(Path path) {
        return catchThrowableOfType(UsageException.class, () -> ExperimentFile.read(path));
    }
}
