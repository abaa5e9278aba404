package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The command on a listener of this process.
class DoctorCommandTest {
    private static final Path SCHEMA =
            Path.of(System.getProperty("project.root", ".."), "docs", "run.schema.json");

    @TempDir Path folder;
    private ServerSocket listener;
    private final PrintStream before = System.out;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @BeforeEach
    void listen() throws Exception {
        listener = new ServerSocket(0, 7, InetAddress.getLoopbackAddress());
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() throws Exception {
        System.setOut(before);
        listener.close();
    }

    private String url() {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/";
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_plan_that_fits_is_reported() {
        assertThat(Main.execute("doctor", "-c", "5", url())).isEqualTo(ExitCode.DONE);
        assertThat(output())
                .contains("the plan fits")
                .contains("8 connections at once")
                .contains("the service, listen(..., 7)");
    }

    @Test
    void a_plan_that_does_not_fit_is_reported_with_what_would_move_the_limits() {
        assertThat(Main.execute("doctor", "-c", "1M", "--lockstep", url())).isEqualTo(1);
        assertThat(output())
                .contains("the plan does not fit: accept-queue on the server comes first")
                .contains("What would move them")
                .contains("wallfinder explain accept-queue");
    }

    @Test
    void the_limits_are_bars_on_a_page() throws Exception {
        Path page = folder.resolve("doctor.html");
        assertThat(Main.execute("doctor", "-c", "1M", url(), "--html", page.toString()))
                .isEqualTo(ExitCode.OBJECTIVE_MISSED);
        assertThat(Files.readString(page)).contains("<rect class=\"bad\"", "accept-queue (server)");
        assertThat(Main.execute("doctor", url(), "--html", "/nonexistent/x.html"))
                .isEqualTo(ExitCode.ENVIRONMENT);
    }

    @Test
    void run_json_follows_its_schema() throws Exception {
        Path json = folder.resolve("run.json");
        String port = Integer.toString(listener.getLocalPort());
        int code =
                Main.execute(
                        "doctor",
                        "-c",
                        "50k",
                        "-R",
                        "5k",
                        "--no-keepalive",
                        "--port",
                        port,
                        "--json",
                        json.toString());
        assertThat(code).isIn(ExitCode.DONE, ExitCode.OBJECTIVE_MISSED);
        List<Error> errors =
                SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(Files.readString(SCHEMA), InputFormat.JSON)
                        .validate(Files.readString(json), InputFormat.JSON);
        assertThat(errors).isEmpty();
        assertThat(Files.readString(json)).contains("new connections/s").contains("sock_diag");
    }

    @Test
    void a_process_can_be_named_by_its_pid() {
        String pid = Long.toString(ProcessHandle.current().pid());
        assertThat(Main.execute("doctor", "--pid", pid)).isEqualTo(ExitCode.DONE);
        assertThat(output()).contains("heap").contains("8 connections at once");
    }

    @Test
    void a_missing_service_is_an_error_of_the_environment() throws Exception {
        String url = url();
        listener.close();
        assertThat(Main.execute("doctor", url)).isEqualTo(ExitCode.ENVIRONMENT);
    }

    @Test
    void contradictory_options_are_refused() {
        assertThat(Main.execute("doctor", "--probe")).isEqualTo(ExitCode.USAGE);
        assertThat(Main.execute("doctor", "--pid", "9999999")).isEqualTo(ExitCode.USAGE);
        assertThat(Main.execute("doctor", "-R", "0", url())).isEqualTo(ExitCode.USAGE);
        assertThat(Main.execute("doctor", "-R", "5", "--lockstep", url())).isEqualTo(2);
        assertThat(Main.execute("doctor", "no-such.yaml")).isNotEqualTo(ExitCode.DONE);
    }
}
