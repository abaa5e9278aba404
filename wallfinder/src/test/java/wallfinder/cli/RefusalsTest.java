package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.sandbox.OwnCpus;

/// What the commands refuse before they connect to anything, start anything or make a folder. They
/// run in this JVM; `FailuresTest` starts the program. Nothing answers at the URLs and on the
/// hosts, which would be another error.
class RefusalsTest {
    private static final String NOBODY = "http://127.0.0.1:9/";

    @TempDir Path folder;
    private final PrintStream outBefore = System.out;
    private final PrintStream errBefore = System.err;
    private final List<Path> runsBefore = runs();

    private static List<Path> runs() {
        return Program.children(Path.of("runs"), "*");
    }

    @AfterEach
    void no_run_has_a_folder() {
        assertThat(runs()).hasSameElementsAs(runsBefore);
    }

    private void refused(String[] words, String... parts) {
        refused(ExitCode.USAGE, words, parts);
    }

    /// @param parts texts in the error
    private void refused(int code, String[] words, String... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        int ended;
        try {
            ended = Main.execute(words);
        } finally {
            System.setOut(outBefore);
            System.setErr(errBefore);
        }
        new Program.Ended(
                        ended,
                        out.toString(StandardCharsets.UTF_8),
                        err.toString(StandardCharsets.UTF_8))
                .failed(code, parts);
    }

    private static String[] words(String line, String... more) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    /// Writes an experiment.
    private String file(String text) throws IOException {
        return Files.writeString(folder.resolve("x.yaml"), text).toString();
    }

    @ParameterizedTest
    @CsvSource({
        "find x.yaml --jsn f,   there is no such option, did you mean --json?",
        "load,                  URL, load --help",
        "load http://a/ b,      one argument too many, load --help",
        "load ftp://localhost/, does not begin with http:// or https, write it as",
        "load https://a/ --key f, it has no certificate, --cert FILE",
        "load https://a/ --tls 1, Wallfinder knows versions 1.2 and 1.3, choose one",
        "load http://a:99999/,  there is no port 99999, write it as",
        "load http://a:0/,      there is no port 0, write it as",
        "load http:///path,     it names no host, write it as",
        "load 127.0.0.1:80,     does not begin with http://, write it as",
        "load http://a/ -c 0,   not between 1 and 1000000, another number",
        "load http://a/ -d x,   x, 30s",
    })
    void a_wrong_command_line_is_one_error_with_advice(String line, String why, String todo) {
        refused(words(line), why, todo);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10s          | 10s cannot be used           | 30s:1k",
                "10x:1k       | 10x                          | 30s:1k",
                "0s:1k        | not above 0                  | 30s:1k",
                "10s:1k-2k-3k | TIME:RATE-RATE               | 1m:1k-5k",
                "10s:20M      | at most 10 million           | 30s:1k",
                "10s:1k,,5s:1 | cannot be used               | 30s:1k"
            })
    void stages_that_cannot_be_read_are_refused_with_an_example(
            String stages, String why, String how) {
        refused(words("load " + NOBODY, "--stages", stages), "--stages", why, how);
    }

    @Test
    void arrivals_that_contradict_each_other_are_refused() {
        String stages = "load " + NOBODY + " --stages 1s:10";
        refused(words(stages, "-R", "5"), "--rate and --stages", "--stages 30s:5");
        refused(words(stages, "--lockstep"), "--stages and --lockstep");
        refused(words("load " + NOBODY, "--poisson"), "--poisson", "-R 5k");
    }

    @Test
    void the_port_of_the_view_for_browsers_is_checked() {
        refused(words("load " + NOBODY, "--web", "70000"), "ports end at 65535");
    }

    @Test
    void a_script_for_wrk_is_refused_with_a_pointer_to_the_page() {
        refused(
                words("load " + NOBODY, "-s", "post.lua"),
                "Wallfinder does not run the Lua scripts of wrk",
                "--targets",
                "docs/targets.md");
        assertThat(Program.ROOT.resolve("docs/targets.md")).exists();
    }

    @Test
    void wrong_requests_are_refused() throws Exception {
        String list =
                Files.writeString(folder.resolve("t.txt"), "GET /\nGET http://other/\n").toString();
        refused(
                words("load " + NOBODY, "--targets", list),
                "t.txt, line 2",
                "names another host",
                "in another run");
        refused(words("load " + NOBODY + "{countr}"), "{countr}", "Did you mean 'counter'?");
        refused(words("load " + NOBODY, "-b", "@none"), "none", "there is no such file");
        refused(
                words("load " + NOBODY, "-m", "PUT", "--targets", list),
                "-m and --targets",
                "leave one of them out");
        refused(words("load"), "nothing to drive", "load --help");
    }

    private static String[] generated(String line, int generators, String... more) {
        List<String> words = new ArrayList<>(List.of(words(line, more)));
        for (String generator : Collections.nCopies(generators, SshBed.SERVER)) {
            words.addAll(List.of("--generator", generator));
        }
        return words.toArray(String[]::new);
    }

    @Test
    void a_plan_that_cannot_be_divided_is_refused() {
        String load = "load " + NOBODY;
        String alone = "--connections 1 cannot be divided among 2 generators";
        refused(generated(load, 2, "-c", "1"), alone);
        refused(generated(load, 2, "-n", "1"), "--requests 1 cannot be divided");
        refused(generated(load, 2, "--source", "10.77.0.2"), "--source 1 cannot be divided");
        refused(
                generated(load, 1, "--lockstep"),
                "--lockstep and --generator cannot be used together");
        String cpu = Integer.toString(OwnCpus.allowed().nextSetBit(0));
        refused(generated(load, 1, "--cpuset", cpu), "--cpuset and --generator");
        refused(generated(load, 1, "--unix-socket", "/x"), "--unix-socket and --generator");
        refused(generated(load, 1, "--cacert", "x.pem"), "the file is on this host");
        refused(
                generated(load, 1, "--peer", "x.json"),
                "--generator and --peer cannot be used together");
        refused(generated("find " + NOBODY, 2, "-c", "1"), alone);
    }

    @Test
    void a_load_that_other_hosts_cannot_generate_is_refused() throws Exception {
        String hosts = ", hosts: [%s] }".formatted(SshBed.SERVER);
        String there = SshServicesTest.LANES.replace(", warmup: 0s }", ", warmup: 0s" + hosts);
        String client = "the settings under 'sandbox: client' cannot be used with generators";
        refused(words("find", file(there)), client);
        refused(words("capacity", file(there + "objective: p99 < 50ms\n")), client);
        refused(
                words("run", file(there.replaceFirst("    host: .*\n", ""))),
                "the load of this experiment cannot come from other hosts");
        refused(
                words("find", file(there.replace("hosts: [ssh:", "hosts: [http:"))),
                "another host, which is named as for ssh");
        String command = "load: { command: \"true {client}\", duration: 1s }\n";
        refused(
                generated(
                        "run", 1, file(SshServicesTest.LANES.replaceFirst("load: .*\n", command))),
                "a command runs on this host");
    }

    @Test
    void a_command_that_measures_on_one_host_refuses_services_on_another() throws Exception {
        String limited =
                SshServicesTest.LANES.replace("    ready:", "    memory: 100m\n    ready:")
                        + "fit: { step: 10m }\nobjective: p99 < 50ms\n";
        String file = file(limited);
        String[] port = {file, "--server", SshBed.SERVER, "--server-port", "80"};
        String none = "--server-port cannot be used with an experiment";
        refused(words("capacity", port), none);
        refused(words("find", port), none);
        refused(
                words("doctor", file),
                "its services run on " + SshBed.SERVER,
                "use find, run, fit or capacity");
        refused(
                words("fit", file(limited.replace("10m }", "10m, cold: [/run/far/server.py] }"))),
                "fit cannot measure a cold page cache on another host",
                "leave `cold` out");
    }

    @Test
    void an_experiment_that_cannot_be_fitted_is_refused() throws Exception {
        refused(words("fit", folder.resolve("missing.yaml").toString()), "there is no such file");
        String fit = FitCommandTest.FIT;
        refused(
                words("fit", file(fit.replace("objective: errors < 1%", ""))),
                "without an objective");
        refused(
                words("fit", file(fit.replace("    memory: 256m\n", ""))),
                "front has no memory limit to begin with");
        refused(words("find", file(fit)), "its candidates are many experiments");
        refused(words("fit"), "EXPERIMENT.yaml");
    }

    @Test
    void find_refuses_idle_connections() throws Exception {
        String study = HoldStudyTest.STUDY;
        String idle =
                study.substring(0, study.indexOf("matrix:"))
                        .replace("{range}", "30000 30399")
                        .replace("interval: 100ms", "idle: true");
        refused(words("find", file(idle)), "find cannot raise the connections of this experiment");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    errors < 1%              | it has no bound of the response time
                    p99 < 50ms, rate > 5k    | 'throughput' is another kind of bound
                    p99 > 50ms               | 'p99' is another kind of bound
                    p99 < 50ms, wall == cpu  | capacity itself names the wall above
                    """)
    void an_objective_without_a_capacity_is_refused(String objective, String why) {
        refused(
                words("capacity " + NOBODY, "--objective", objective),
                "there is no capacity for the objective",
                why);
    }

    @Test
    void capacity_needs_an_objective_and_chooses_the_rates_itself() {
        refused(words("capacity " + NOBODY), "capacity needs an objective");
        refused(
                words("capacity " + NOBODY, "--objective", "p99<1s", "-R", "5k"),
                "--rate cannot be used with capacity");
    }

    @ParameterizedTest
    @CsvSource({
        "find x.yaml -c 500,              --connections cannot be used with an experiment",
        "find x.yaml --objective p99<1s,  --objective cannot be used with an experiment",
        "find x.yaml --stages 1s@5,       --stages cannot be used with an experiment",
        "capacity x.yaml -d 30s,          --duration cannot be used with an experiment",
        "capacity x.yaml --cacert a.pem,  --cacert cannot be used with an experiment",
        "profile x.yaml -H Accept:text,   --header cannot be used with an experiment",
        "profile --pid 1 -c 5,            --connections cannot be used with a service that is running",
        "doctor x.yaml -R 5k,             --rate cannot be used with an experiment",
    })
    void options_without_an_effect_are_refused(String line, String error) {
        refused(words(line), error);
    }

    /// The command is run if the file can be read, which comes next.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "capacity x.yaml --objective p99<1s --why",
                "find x.yaml --no-live",
                "doctor x.yaml --probe",
                "profile x.yaml --out y"
            })
    void options_with_an_effect_on_an_experiment_are_not(String line) {
        refused(words(line), "there is no such file");
    }

    @Test
    void a_setting_without_another_value_cannot_be_tried() throws Exception {
        String many =
                """
                services: { web: { command: web, ready: { log: ready } } }
                sandbox: { server: { net.ipv4.tcp_rmem: "4096 8192 16384" } }
                load: { url: "http://{server}:80/" }
                try: [net.ipv4.tcp_rmem]
                """;
        refused(
                words("find", file(many)),
                "`try: [net.ipv4.tcp_rmem]` cannot be tested",
                "its value '4096 8192 16384'");
    }

    @ParameterizedTest
    @CsvSource({
        "--pid=2147483646, 2, there is no process 2147483646",
        "--pid=-3, 2, there is no process -3",
        "--port=1, 3, nothing listens on port 1",
        "--port=70000, 2, --port 70000 cannot be used",
        "--cgroup=no/such/group, 2, there is no cgroup no/such/group",
        "-d1s, 2, There is nothing to watch",
    })
    void a_service_that_cannot_be_watched_is_one_error(String option, int code, String error) {
        refused(code, words("watch", option), error);
    }

    @Test
    void a_pod_is_watched_as_a_whole() {
        String whole = "--port, --pid and --cgroup cannot be used with k8s:shop/web";
        refused(words("watch --server=k8s:shop/web --port=80"), whole);
        refused(words("profile --server=k8s:shop/web --pid=1"), whole);
    }

    @Test
    void what_cannot_be_profiled_is_refused() throws Exception {
        String command =
                file(
                        """
                        services:
                          web: { command: "sleep 100", ready: { log: ready } }
                        load: { command: "true", duration: 1s }
                        """);
        refused(words("profile", command), "profile cannot drive the load of this experiment");
        refused(words("profile"), "There is nothing to profile");
        refused(words("profile", command, "--pid", "1"), "cannot be profiled together");
    }
}
