package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `serve` as a user starts it.
@Tag("slow")
@Timeout(240)
class ServeTest extends ProgramTest {
    private static final List<String> CXF =
            List.of("serve", "cxf", "--port=0", "--host=127.0.0.1", "--backlog=34");

    @Test
    void a_service_gets_the_terminal_and_its_options_and_ends_with_the_program() throws Exception {
        Program.Started started = program.startByScript(CXF.toArray(new String[0]));
        started.awaitOutput("cxf: listening on http://127.0.0.1:").awaitOutput("backlog 34");
        started.signalled("TERM").done(143);
        program.assertNothingLeft();
        Program.Started killed = program.start(CXF.toArray(new String[0]));
        killed.awaitOutput("cxf: listening on").signalled("KILL");
        program.assertNothingLeft();
    }

    @Test
    void without_a_name_serve_lists_all_services_and_for_an_unknown_name_it_suggests_the_nearest()
            throws Exception {
        Program.Ended listed = program.run("serve").done(0);
        assertThat(listed.out().lines().toList())
                .hasSameSizeAs(Program.children(Program.ROOT.resolve("services"), "*"))
                .anyMatch(line -> line.matches("cxf +Apache CXF .* \\(Java 17 or later\\)"));
        program.run("serve", "cfx", "--port=1")
                .failed(2, "there is no service \"cfx\"", "Did you mean 'cxf'");
    }

    @Test
    void a_missing_jvm_is_exit_code_3_and_a_wrong_option_of_the_service_is_2() throws Exception {
        program.run("serve", "--jvm", "7", "cxf").failed(3, "there is no JVM 7", "found: ");
        Program.Ended refused = program.run("serve", "cxf", "--pot=1").done(2);
        assertThat(refused.err()).contains("unknown option --pot").contains("options: ");
        Program.Ended taken = program.run("serve", "cxf", "--host=192.0.2.1");
        assertThat(taken.err())
                .contains("cxf: it cannot start: ")
                .contains("the service cxf has ended")
                .contains("with exit code 1");
        assertThat(taken.code()).isEqualTo(3);
    }
}
