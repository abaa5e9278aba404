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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

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

    /// The trial above the capacity is disturbed, because it overloads the service.
    @Test
    void a_capacity_that_is_too_small_fails_unless_most_of_its_pairs_were_disturbed()
            throws Exception {
        assertThat(capacity(0).getStatus()).isEqualTo(Status.FAILED);
        assertThat(capacity(1).getStatus()).isEqualTo(Status.FAILED);
        TestExecutionResult aborted = capacity(2);
        assertThat(aborted.getStatus()).isEqualTo(Status.ABORTED);
        assertThat(aborted.getThrowable().orElseThrow())
                .hasMessageContaining("which proves nothing: busy-host: ");
    }

    /// @param disturbed how many of the three pairs have a disturbed trial
    private TestExecutionResult capacity(int disturbed) throws Exception {
        Path recorded = Path.of(getClass().getResource("/capacity.json").toURI());
        ObjectNode root = (ObjectNode) JsonMapper.shared().readTree(recorded.toFile());
        ArrayNode trials = (ArrayNode) root.path("trials");
        JsonNode busy = trials.get(0);
        ObjectNode quiet = ((ObjectNode) busy).deepCopy();
        quiet.putArray("caveats");
        ArrayNode pairs = ((ObjectNode) root.path("capacity")).putArray("pairs");
        for (int pair = 0; pair < 3; pair++) {
            ObjectNode sides = pairs.addObject();
            sides.putObject("below").put("trial", trials.size());
            trials.add(quiet);
            sides.putObject("above").put("trial", trials.size());
            trials.add(pair < disturbed ? busy : quiet);
        }
        trials.add(busy);
        Path file = folder.resolve("capacity.json");
        JsonMapper.shared().writeValue(file.toFile(), root);
        Tests tests = new Tests(Measures.class, folder);
        String program =
                tests.program(
                        """
                        for out; do :; done
                        mkdir "$out"
                        cp '%s' "$out/run.json"
                        exit 1\
                        """
                                .formatted(file));
        return result(tests.run("seeksCapacity", "wallfinder.command", program));
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

        @LoadTest
        void seeksCapacity(Wallfinder wallfinder) {
            wallfinder.capacity("http://127.0.0.1/").run();
        }
    }
}
