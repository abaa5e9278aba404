package wallfinder.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An error of the user or the host is one message in three parts with exit code 2 or 3.
/// `RefusalsTest` has more wrong command lines.
@Tag("slow")
@Timeout(180)
class FailuresTest extends ProgramTest {
    /// A multiple of every size of a page.
    private static final int DISK_BYTES = 1 << 16;

    /// Copies the rows to a disk of this size and back.
    private static final String ON_SMALL_DISK =
            "mount -t tmpfs -o size=$1 none \"$0\" && cp rows.csv \"$0\" && shift && \"$@\"; code=$?;"
                    + " cp \"$0/rows.csv\" kept.csv && exit $code";

    @Test
    void an_unknown_key_names_the_nearest_one_and_its_place() throws Exception {
        Path file = program.experiment("memroy: 64m");
        program.run("find", file.toString())
                .failed(2, "tiny.yaml, line 6, services.web.memroy", "Did you mean 'memory'?");
        assertThat(program.runs()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "fnd x.yaml,            there is no such command, did you mean find?",
        "find none.yaml,        there is no such file, Give the path",
        "explain acept-queue,   acept-queue, accept-queue",
    })
    void a_wrong_command_line_is_one_error_with_advice(String line, String why, String todo)
            throws Exception {
        program.run(line.split(" ")).failed(2, why, todo);
        assertThat(program.runs()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "load http://127.0.0.1:1/, nothing answers at http://127.0.0.1:1/, start the service",
        "find http://127.0.0.1:1/, nothing answers at http://127.0.0.1:1/, start the service",
        "load http://no.such.host.invalid/, could not be looked up, check the name",
    })
    void a_url_that_cannot_be_reached_is_one_error_with_advice(String line, String why, String todo)
            throws Exception {
        program.run(line.split(" ")).failed(3, why, todo);
        assertThat(program.file("runs")).doesNotExist();
    }

    @Test
    void without_a_command_the_usage_is_printed() throws Exception {
        Program.Ended ended = program.run().done(2);
        assertThat(ended.err()).startsWith("Usage: wallfinder").contains("find", "Exit codes:");
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void a_file_that_cannot_be_written_is_reported_before_measuring() throws Exception {
        Path file = program.experiment("");
        program.run("find", file.toString(), "--json", "/nonexistent/x.json")
                .failed(3, "--json", "there is no folder /nonexistent", "name another file");
        assertThat(program.runs()).isEmpty();
    }

    @Test
    void results_are_printed_and_kept_if_the_file_fails_at_the_end() throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            Program.Ended ended =
                    program.run("load", server.url(), "-d", "300ms", "--json", "/dev/full").done(3);
            assertThat(ended.out()).contains("answered in");
            assertThat(ended.err()).contains("No space left on device", "what to do:");
            assertThat(Program.schemaErrors(runJson())).isEmpty();
        }
    }

    @Test
    @Tag("sandbox")
    void a_service_that_ends_at_once_is_reported_with_its_output() throws Exception {
        Path file = program.experiment(8080, "exit", "");
        program.run("find", file.toString())
                .failed(
                        3,
                        "the service web ended before it was ready",
                        "exit code 7",
                        "there is no licence for this service",
                        "web.log");
    }

    @Test
    @Tag("sandbox")
    void a_service_that_does_not_get_ready_is_reported_with_its_output() throws Exception {
        Path file = program.experiment(8081, "8080", "readyWithin: 2s");
        program.run("find", file.toString())
                .failed(
                        3,
                        "the service web did not get ready within 2.0 s",
                        ":8081 accepts; the last attempt: Connection refused",
                        "listens on 8080",
                        "readyWithin");
    }

    @Test
    @Tag("sandbox")
    void two_services_on_one_port_are_an_error() throws Exception {
        Path file = program.experiment("");
        String text = Files.readString(file);
        int from = text.indexOf("  web:");
        String web = text.substring(from, text.indexOf("load:"));
        Files.writeString(file, text.replace(web, web + web.replace("web:", "also:")));
        program.run("find", file.toString())
                .failed(
                        3,
                        "the service also cannot be started",
                        "another program listens on",
                        ":8080");
    }

    @Test
    @Tag("sandbox")
    void a_full_disk_is_reported_before_measuring() throws Exception {
        Path small = Files.createDirectory(program.file("small"));
        Path file = program.experiment("");
        String mounted = "mount -t tmpfs -o size=1m none \"$0\" && exec \"$@\"";
        program.under("sh", "-c", mounted, small.toString())
                .run("find", file.toString(), "--out", small.resolve("run").toString())
                .failed(3, "cannot be kept in", "KB are free", "--out");
    }

    /// The page that the old rows leave ends with ten free bytes.
    @Test
    @Tag("sandbox")
    void a_row_that_does_not_fit_on_the_disk_leaves_the_old_rows_as_they_were() throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            String[] load = {"load", server.url(), "-d", "300ms", "--csv", "rows.csv"};
            program.run(load).measured().judged(() -> program.run(load).measured());
            Path rows = program.file("rows.csv");
            String old = Files.readString(rows);
            old += "x".repeat(DISK_BYTES - 10 - old.length() - 1) + "\n";
            Files.writeString(rows, old);
            Path small = Files.createDirectory(program.file("small"));
            program.under("sh", "-c", ON_SMALL_DISK, small.toString(), "" + DISK_BYTES);
            load[load.length - 1] = small.resolve("rows.csv").toString();

            Program.Ended ended = program.run(load).judged(() -> program.run(load)).done(3);

            assertThat(ended.out()).contains("answered in");
            assertThat(ended.err()).contains("No space left on device", "what to do:");
            assertThat(program.file("kept.csv")).hasBinaryContent(old.getBytes(UTF_8));
        }
    }

    private Path runJson() throws IOException {
        assertThat(program.runs()).hasSize(1);
        return program.file("runs").resolve(program.runs().getFirst()).resolve("run.json");
    }
}
