package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Services that are started by hand, as a user does it.
@Tag("slow")
@Timeout(240)
class ServeTest extends ProgramTest {
    private static final List<String> CXF =
            List.of("serve", "cxf", "--port=0", "--host=127.0.0.1", "--backlog=34");

    @Test
    void a_service_has_the_terminal_and_its_own_options_and_ends_with_the_program()
            throws Exception {
        Program.Started started = program.startByScript(CXF.toArray(new String[0]));
        started.awaitSaid("cxf: listening on http://127.0.0.1:").awaitSaid("backlog 34");
        started.signalled("TERM").done(143);
        program.assertNothingLeft();
        Program.Started killed = program.start(CXF.toArray(new String[0]));
        killed.awaitSaid("cxf: listening on").signalled("KILL");
        program.assertNothingLeft();
    }

    @Test
    void without_a_name_all_are_listed_and_an_unknown_one_is_told_the_nearest() throws Exception {
        Program.Ended listed = program.run("serve").done(0);
        assertThat(listed.out().lines().toList())
                .hasSameSizeAs(Program.children(Program.ROOT.resolve("services"), "*"))
                .anyMatch(line -> line.matches("cxf +Apache CXF .* \\(Java 17 or later\\)"));
        program.run("serve", "cfx", "--port=1")
                .failed(2, "there is no service \"cfx\"", "Did you mean 'cxf'");
    }

    @Test
    void a_missing_jvm_is_the_hosts_and_what_a_service_refuses_is_the_users() throws Exception {
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
