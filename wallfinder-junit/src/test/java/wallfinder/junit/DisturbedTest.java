package wallfinder.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static wallfinder.junit.Tests.result;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.opentest4j.AssertionFailedError;

/// A test cannot make a host busy to order. So a script ends as the program does, and its result is
/// a recorded one: `busy-host` and `noisy-host` are among its doubts.
class DisturbedTest {
    private static final String NO_CHANGE = "";
    private static final String QUIET_HOST = "s/\"(busy|noisy)-host\"/\"short-run\"/";
    private static final String STOLEN_CPU = "s/\"accept-queue\"/\"cpu-steal\"/";

    @TempDir private Path folder;

    @Test
    void a_missed_objective_on_a_quiet_host_fails() throws Exception {
        TestExecutionResult result = recorded(QUIET_HOST, 1);
        assertThat(result.getStatus()).isEqualTo(Status.FAILED);
        assertThat(result.getThrowable().orElseThrow())
                .hasMessageContaining("the objective was missed\n");
    }

    @Test
    void a_missed_objective_on_a_busy_host_aborts() throws Exception {
        TestExecutionResult result = recorded(NO_CHANGE, 1);
        assertThat(result.getStatus()).isEqualTo(Status.ABORTED);
        assertThat(result.getThrowable().orElseThrow())
                .hasMessageContaining("busy-host: other programs took");
    }

    @Test
    void a_result_on_a_busy_host_without_an_objective_is_for_the_test_to_judge() throws Exception {
        assertThat(recorded(NO_CHANGE, 0).getStatus()).isEqualTo(Status.SUCCESSFUL);
    }

    @Test
    void a_stolen_cpu_aborts() throws Exception {
        assertThat(recorded(STOLEN_CPU, 0).getStatus()).isEqualTo(Status.ABORTED);
    }

    @Test
    void the_configuration_makes_it_a_failure() throws Exception {
        TestExecutionResult result = recorded(STOLEN_CPU, 0, "wallfinder.invalid", "fail");
        assertThat(result.getStatus()).isEqualTo(Status.FAILED);
        assertThat(result.getThrowable().orElseThrow())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("the machine was the limit");
    }

    /// @param change of the recorded result, for sed
    private TestExecutionResult recorded(String change, int exit, String... configuration)
            throws Exception {
        Tests tests = new Tests(Measures.class, folder);
        Path recorded = Path.of(getClass().getResource("/find.json").toURI());
        String program =
                tests.program(
                        """
                        for out; do :; done
                        mkdir "$out"
                        sed -E '%s' '%s' >"$out/run.json"
                        exit %d\
                        """
                                .formatted(change, recorded, exit));
        List<String> all = new ArrayList<>(List.of("wallfinder.command", program));
        all.addAll(List.of(configuration));
        return result(tests.run("finds", all.toArray(String[]::new)));
    }

    static class Measures {
        @LoadTest
        void finds(Wallfinder wallfinder) {
            assertThat(wallfinder.find("http://127.0.0.1/").run().ladder()).hasSize(2);
        }
    }
}
