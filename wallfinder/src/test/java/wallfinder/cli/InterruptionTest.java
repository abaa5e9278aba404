package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An interrupted run prints and keeps what it has measured, and cleans up.
@Tag("slow")
@Timeout(180)
class InterruptionTest extends ProgramTest {
    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void an_interrupted_load_prints_what_it_measured(String signal, int code) throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            Program.Started started =
                    program.start("load", server.url(), "-d", "10m", "--json", json.toString());
            Program.await(() -> server.answered() > 20);
            Program.Ended ended = started.signalled(signal).done(code);
            assertThat(ended.out()).contains("answered in").contains("Files: ");
            assertKept();
        }
    }

    @Test
    @Tag("sandbox")
    void a_find_after_ctrl_c_prints_what_it_measured() throws Exception {
        assertPrints("INT", 130);
    }

    @Test
    @Tag("sandbox")
    @Tag("long")
    void a_terminated_find_prints_what_it_measured() throws Exception {
        assertPrints("TERM", 143);
    }

    private void assertPrints(String signal, int code) throws Exception {
        String text = Files.readString(program.experiment("")).replace("200ms", "10m");
        Path file = Files.writeString(program.file("long.yaml"), text);
        Program.Started started = program.start("find", file.toString(), "--json", json.toString());
        Program.await(() -> log().contains("answered 500"));
        Program.Ended ended = started.signalled(signal).done(code);
        assertThat(ended.out()).contains("answers/s", "Ended: interrupted");
        assertKept();
    }

    @Test
    @Tag("sandbox")
    void ctrl_c_in_a_terminal_reaches_the_run_and_not_its_service() throws Exception {
        String text = Files.readString(program.experiment("")).replace("200ms", "10m");
        Path file = Files.writeString(program.file("long.yaml"), text);
        program.under("setsid");
        Program.Started started = program.start("find", file.toString(), "--json", json.toString());
        Program.await(() -> log().contains("answered 500"));
        long foreground = started.process().pid();
        Program.Ended ended = started.signalled("INT", "--", "-" + foreground);
        assertThat(ended.done(130).err()).doesNotContain("wallfinder: ");
        assertThat(ended.out()).contains("answers/s", "Ended: interrupted");
        assertThat(log())
                .contains("in process group ")
                .doesNotContain("process group " + foreground);
        assertKept();
    }

    @Test
    @Tag("sandbox")
    void a_find_that_waits_for_its_service_stops_waiting() throws Exception {
        Path file = program.experiment(8081, "8080", "");
        Program.Started started = program.start("find", file.toString(), "--json", json.toString());
        Program.await(() -> log().contains("listens on"));
        Program.Ended ended = started.signalled("INT").done(130);
        assertThat(ended.out()).contains("Ended: interrupted");
        assertThat(Program.schemaErrors(json)).isEmpty();
    }

    @Test
    void a_finished_run_exits_at_once() throws Exception {
        try (TinyServer server = new TinyServer(0)) {
            Program.Started started = program.start("load", server.url(), "-d", "300ms");
            started.awaitOutput("Files: ").endsAtOnce().measured();
        }
    }

    private String log() {
        return program.text("runs", "web.log");
    }

    private void assertKept() throws IOException {
        assertThat(Program.schemaErrors(json)).isEmpty();
        assertThat(Files.readString(json)).contains("\"trials\" : [ {");
        assertThat(program.runs()).hasSize(1);
    }
}
