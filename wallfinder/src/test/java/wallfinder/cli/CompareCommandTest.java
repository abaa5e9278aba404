package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.Matrix;
import wallfinder.record.Comparison;
import wallfinder.record.RunJson;
import wallfinder.record.SampleRun;

/// `compare` on recorded runs: two of `find` with the same experiment, whose first rung has three
/// pairs, and three of `load`, in which the generator was the limit.
class CompareCommandTest {
    private static final Path RECORDED =
            Program.ROOT.resolve("wallfinder/src/test/resources/wallfinder/lab/compare");

    @TempDir Path folder;
    private final PrintStream outBefore = System.out;
    private final PrintStream errBefore = System.err;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void catchOutput() {
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restoreOutput() {
        System.setOut(outBefore);
        System.setErr(errBefore);
    }

    /// The folder of a recorded run.
    private Path run(String name) throws IOException {
        Path run = Files.createDirectories(folder.resolve(name));
        try (var in =
                new GZIPInputStream(Files.newInputStream(RECORDED.resolve(name + ".json.gz")))) {
            Files.write(run.resolve("run.json"), in.readAllBytes());
        }
        return run;
    }

    private String compared(int code, Path a, Path b, String... options) {
        String[] words = new String[options.length + 3];
        words[0] = "compare";
        words[1] = a.toString();
        words[2] = b.toString();
        System.arraycopy(options, 0, words, 3, options.length);
        out.reset();
        assertThat(Main.execute(words)).as(out + "" + err).isEqualTo(code);
        return out.toString(StandardCharsets.UTF_8);
    }

    /// Takes the arms with the remedy for the trials of a run whose settings were those of the
    /// remedy from the beginning.
    private Path withRemedy() throws IOException {
        Path run = run("accept-queue-again");
        Path json = run.resolve("run.json");
        Files.writeString(
                json,
                Files.readString(json)
                        .replace("-without\"", "-replaced\"")
                        .replace("-with\"", "-without\""));
        return run;
    }

    @Test
    void settings_that_differ_are_shown_with_their_effect_and_the_run_that_decides_it()
            throws IOException {
        Path a = run("accept-queue");
        Files.copy(
                Program.ROOT.resolve("experiments/accept-queue.yaml"),
                a.resolve("experiment.yaml"));
        String text = compared(ExitCode.DONE, a, withRemedy());
        assertThat(text)
                .containsPattern("a setting +backlog +128 +4096\n")
                .containsPattern("a setting +server.net.core.somaxconn +128 +4096\n")
                .contains("rung 1: 256 connections, in lockstep, one per request; 3 trials of A")
                .containsPattern("good answers/s +231.2 +1,9.* +8\\.\\d\\d +8.* higher\n")
                .containsPattern("response p99 .* shorter\n")
                .contains("Different beyond the noise: good answers/s higher in B (rung 1)")
                .containsPattern("may come from the\\s+state of the\\s+host")
                .contains("bin/wallfinder run decide.yaml");
        Matrix matrix = matrix(text.substring(text.indexOf("    name: accept-queue\n")));
        assertThat(matrix.repeat()).isEqualTo(5);
        assertThat(matrix.cells())
                .extracting(cell -> cell.experiment().services().getFirst().knobs().get("backlog"))
                .extracting(knob -> knob.value())
                .containsExactly("128", "4096");
        assertThat(matrix.cells())
                .extracting(cell -> cell.experiment().sandbox().server())
                .extracting(sysctls -> sysctls.get("net.core.somaxconn"))
                .containsExactly("128", "4096");
    }

    /// Two machines of one type differ in their names only.
    @Test
    void two_hosts_are_a_difference_and_a_run_that_does_not_know_its_host_is_none()
            throws IOException {
        Path a = run("accept-queue");
        Path b = run("accept-queue-again");
        assertThat(compared(ExitCode.DONE, a, named(b, "two")))
                .contains("nothing that run.json records")
                .doesNotContain("The hosts differ");
        assertThat(compared(ExitCode.DONE, named(a, "one"), b))
                .containsPattern("the host +name of the host +one +two\n")
                .containsPattern("The hosts differ. Measure both on one host");
    }

    private static Path named(Path run, String host) throws IOException {
        Path json = run.resolve("run.json");
        Files.writeString(
                json,
                Files.readString(json)
                        .replaceFirst(
                                "\"host\" : \\{", "\"host\" : { \"hostname\" : \"" + host + "\","));
        return run;
    }

    @Test
    void a_page_shows_both_runs_side_by_side() throws IOException {
        Path page = folder.resolve("compared.html");
        compared(ExitCode.DONE, run("accept-queue"), withRemedy(), "--html", page.toString());
        assertThat(Files.readString(page))
                .contains("Good answers/s of A and B", "rung 1, A: 231.2", "rung 1, B: 1,9")
                .contains("Good answers/s, B divided by A")
                .contains("<pre tabindex=\"0\">Two runs, A and B.")
                .doesNotContain("NaN");
    }

    private static Matrix matrix(String text) {
        return ExperimentFile.parseMatrix(
                text, "decide.yaml", "decide", jvm -> Optional.of(Path.of(jvm)));
    }

    @Test
    void without_the_experiment_of_a_the_matrix_alone_is_printed() throws IOException {
        assertThat(compared(ExitCode.DONE, run("accept-queue"), withRemedy()))
                .contains("Add this to the experiment")
                .contains("\n    matrix:\n      side: [{ name: A, backlog: 128, server.net");
    }

    @Test
    void the_ratio_of_b_to_a_is_the_inverse_of_that_of_a_to_b() throws IOException {
        Path json = folder.resolve("there.json");
        Path a = run("accept-queue");
        Path b = withRemedy();
        compared(ExitCode.DONE, a, b, "--json", json.toString());
        double there = rate(json).at("/ratio").asDouble();
        compared(ExitCode.DONE, b, a, "--json", json.toString());
        double back = rate(json).at("/ratio").asDouble();
        assertThat(there).isBetween(8.0, 9.0);
        assertThat(there * back).isBetween(0.999, 1.001);
        assertThat(rate(json).at("/result").asString()).isEqualTo("less");
        assertThat(rate(json).at("/interval/1").asDouble()).isLessThan(1);
    }

    private static JsonNode rate(Path json) throws IOException {
        JsonNode figure =
                JsonMapper.shared().readTree(Files.readString(json)).at("/rows/0/figures/0");
        assertThat(figure.at("/figure").asString()).isEqualTo("good-per-second");
        return figure;
    }

    @Test
    void two_runs_of_the_same_experiment_show_no_difference() throws IOException {
        String text = compared(ExitCode.DONE, run("accept-queue"), run("accept-queue-again"));
        assertThat(text)
                .contains("nothing that run.json records")
                .containsPattern("good answers/s .* no difference\n")
                .containsPattern("good answers/s .* undecided: one trial\n")
                .contains("No difference: no figure differs beyond the noise.")
                .contains("did not run in turn but 7.6 hours apart")
                .contains("run.json records no setting that differs")
                .containsPattern("moved by backlog 128 -> 4096: 8.42\\s+times, 8.18-8.77")
                .doesNotContain("Different beyond the noise", "higher", "lower");
    }

    private static Path failing(Path run, int requests) throws IOException {
        Path json = run.resolve("run.json");
        Files.writeString(
                json,
                Files.readString(json)
                        .replace(
                                "\"errors\" : { }",
                                "\"errors\" : { \"timed-out\" : " + requests + " }"));
        return run;
    }

    /// The rates and times are those of the good answers, and are the same as before.
    @Test
    void failed_requests_in_one_of_the_runs_are_a_difference() throws IOException {
        Path a = run("accept-queue");
        Path b = failing(run("accept-queue-again"), 40);
        assertThat(compared(ExitCode.DONE, a, b))
                .containsPattern(
                        "Failed\\s+requests\\s+differ:\\s+none\\s+in\\s+A,\\s+2\\.8\\d\\d\\s%\\s+in\\s+B\\s\\(rung")
                .containsPattern("Their\\s+share\\s+has\\s+no\\s+interval\\.")
                .containsPattern("No\\s+other\\s+figure\\s+differs\\s+beyond\\s+the\\s+noise")
                .doesNotContain("No difference:");
        assertThat(compared(ExitCode.DONE, b, a)).contains("Failed requests differ: 2.8");
    }

    @Test
    void a_few_failed_requests_of_many_are_no_difference() throws IOException {
        Path again = run("accept-queue-again");
        assertThat(compared(ExitCode.DONE, run("accept-queue"), failing(again, 1)))
                .contains("No difference: no figure differs beyond the noise.")
                .containsPattern("failed requests +none +0.0\\d\\d % .* percentage points\n");
    }

    @Test
    void failed_requests_of_another_load_are_no_difference_of_the_services() throws IOException {
        assertThat(compared(ExitCode.DONE, run("rate-100"), failing(run("rate-1000"), 400)))
                .contains("percentage points", "Nothing is decided.")
                .doesNotContain("Failed requests differ");
    }

    @Test
    void the_commands_to_alternate_write_none_of_the_files_of_the_run() throws IOException {
        String kept =
                "bin/wallfinder load -H 'Accept: a b' -b 'it'\\''s --out x' http://127.0.0.1:18999/ -c 4";
        String files =
                " --out 'my runs/1' --json=j --hlog h '--junit=my j' --csv c --openmetrics o --baseline"
                        + " b --github --web 8081 --github";
        Path json = run("rate-100-again").resolve("run.json");
        for (String end : List.of("", " --web")) {
            String command = kept.replace("bin/", "") + files + end;
            Files.writeString(
                    json,
                    Files.readString(json)
                            .replaceFirst(
                                    "\"command\" : \".*\"",
                                    Matcher.quoteReplacement(
                                            "\"command\" : \"%s\""
                                                    .formatted(command.replace("\\", "\\\\")))));
            assertThat(compared(ExitCode.DONE, run("rate-100"), json))
                    .contains("\n    " + kept + "\n");
        }
    }

    /// As two hosts with the same cron job.
    @Test
    void runs_that_began_in_the_same_second_are_two_runs_if_their_figures_or_hosts_differ()
            throws IOException {
        Path a = run("rate-100");
        Path copy = folder.resolve("copy.json");
        String text = Files.readString(a.resolve("run.json"));
        Files.writeString(copy, text);
        assertThat(compared(ExitCode.DONE, a, copy)).contains("A and B are the same run.");
        Files.writeString(copy, text.replaceFirst("\"good\" : 407", "\"good\" : 406"));
        assertThat(compared(ExitCode.DONE, a, copy)).doesNotContain("the same run");
        Files.writeString(copy, text.replaceFirst("\"cpus\" : \\d+", "\"cpus\" : 64"));
        assertThat(compared(ExitCode.DONE, a, copy)).doesNotContain("the same run");
    }

    @Test
    void the_manual_has_every_word_of_the_file() throws IOException {
        String manual = Files.readString(Program.ROOT.resolve("docs/compare.md"));
        String file = manual.substring(manual.indexOf("## The file"));
        Stream.of(Comparison.Kind.values(), Comparison.Result.values(), Comparison.Where.values())
                .flatMap(Stream::of)
                .map(word -> word.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .forEach(word -> assertThat(file).contains("`" + word + "`"));
    }

    @Test
    void loads_get_the_commands_to_alternate() throws IOException {
        Path again = run("rate-100-again").resolve("run.json");
        Files.writeString(again, Files.readString(again).replace(" -d 3s\"", " -d 3s --out x\""));
        assertThat(compared(ExitCode.DONE, run("rate-100"), again))
                .contains("; 1 trial of A, 1 trial of B")
                .contains("Nothing is decided.")
                .contains("\n    bin/wallfinder load http://127.0.0.1:18999/ -c 4 -R 100 -d 4s\n")
                .contains("\n    bin/wallfinder load http://127.0.0.1:18999/ -c 4 -R 100 -d 3s\n");
    }

    @Test
    void a_run_is_not_compared_with_itself() throws IOException {
        Path run = run("accept-queue");
        assertThat(compared(ExitCode.DONE, run, run.resolve("run.json")))
                .contains("A and B are the same run.")
                .doesNotContain("To decide it", "may come from");
    }

    @Test
    void runs_of_different_commands_cannot_be_compared() throws IOException {
        assertThat(compared(ExitCode.INVALID, run("accept-queue"), run("rate-100")))
                .contains("Not comparable: A is a `find` and B is a `load`.");
    }

    @Test
    void rates_at_the_generators_limit_are_lower_bounds() throws IOException {
        assertThat(compared(ExitCode.DONE, run("rate-100"), run("rate-100-again")))
                .contains("In both the load generator was the limit: the service could do more")
                .containsPattern("good answers/s .* unknown\n")
                .containsPattern("response p99 .* of a busy generator\n");
        Path valid = folder.resolve("rate-100").resolve("run.json");
        Files.writeString(
                valid,
                Files.readString(valid)
                        .replaceFirst("\"verdict\" : \"invalid", "\"verdict\" : \"none"));
        assertThat(compared(ExitCode.DONE, valid, folder.resolve("rate-100-again")))
                .contains("In B the load generator was the limit")
                .containsPattern("good answers/s .* at least this ratio\n");
        assertThat(compared(ExitCode.DONE, folder.resolve("rate-100-again"), valid))
                .containsPattern("good answers/s .* at most this ratio\n");
    }

    @Test
    void another_load_is_named_and_its_figures_decide_nothing() throws IOException {
        assertThat(compared(ExitCode.DONE, run("rate-100"), run("rate-1000")))
                .containsPattern("the load +connections +4 connections +64 connections\n")
                .contains("The loads differ, so the ratios compare two loads, not two services.")
                .containsPattern("good answers/s .* another load\n")
                .contains("Nothing is decided.");
    }

    @Test
    void another_host_is_named() throws IOException {
        Path other = run("accept-queue-again").resolve("run.json");
        String text = Files.readString(other);
        Files.writeString(other, text.replaceFirst("\"cpus\" : \\d+", "\"cpus\" : 64"));
        assertThat(compared(ExitCode.DONE, run("accept-queue"), other))
                .containsPattern("the host +number of CPUs +\\d +64\n")
                .contains("The hosts differ. Measure both on one host.");
    }

    @Test
    void ladders_are_compared_rung_by_rung() throws IOException {
        Path a = Files.createDirectories(folder.resolve("a"));
        Path b = Files.createDirectories(folder.resolve("b"));
        RunJson.write(SampleRun.fullLadder(), a.resolve("run.json"));
        RunJson.write(SampleRun.interrupted(), b.resolve("run.json"));
        assertThat(compared(ExitCode.DONE, a, b))
                .contains("rung 1: ", "; 1 trial of A, 1 trial of B")
                .contains("accept-queue, on the server; it limits the throughput; moved by backlog")
                .contains("A has 1 more rung");
    }

    @Test
    void what_is_no_run_is_one_error_of_the_command_line() throws IOException {
        Path a = run("accept-queue");
        Path cut = run("rate-100").resolve("run.json");
        Files.writeString(cut, Files.readString(cut).substring(0, 5_000));
        for (Path wrong : List.of(folder, folder.resolve("missing"), cut)) {
            err.reset();
            assertThat(compared(ExitCode.USAGE, a, wrong)).isEmpty();
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .startsWith("wallfinder: " + wrong + " cannot be compared\n")
                    .contains("  why:  ", "  what to do: ");
        }
        assertThat(Main.execute("compare", cut.toString())).isEqualTo(ExitCode.USAGE);
    }
}
