package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleRun;

class GitHubOutputsTest {
    private static final Path ROOT = Path.of(System.getProperty("project.root", ".."));

    @Test
    void the_action_has_the_outputs_that_a_run_writes() throws Exception {
        var action =
                (Map<?, ?>)
                        new Load(LoadSettings.builder().build())
                                .loadFromString(Files.readString(ROOT.resolve("action.yml")));
        Set<String> written =
                GitHubOutputs.text(SampleRun.fullLadder(), "runs/1")
                        .lines()
                        .map(line -> line.split("=")[0])
                        .collect(Collectors.toSet());
        assertThat(((Map<?, ?>) action.get("outputs")).keySet()).isEqualTo(written);
    }

    @Test
    void the_outputs_are_those_of_the_first_rung() {
        assertThat(GitHubOutputs.text(SampleRun.fullLadder(), "runs/1"))
                .isEqualTo("verdict=named\nwall=accept-queue\nrate=100\nrun-folder=runs/1\n");
    }

    /// The response times above a capacity are those of an overload.
    @Test
    void the_notice_of_a_capacity_has_its_rate_alone() {
        RunRecord run = SampleCapacity.run(401.5, 390, 410);
        assertThat(GitHubAnnotations.text(run, Outcome.DONE, null))
                .startsWith("::notice ")
                .endsWith(". 401.5 answers/s\n");
    }
}
