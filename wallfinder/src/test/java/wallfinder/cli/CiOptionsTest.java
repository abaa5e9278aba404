package wallfinder.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import wallfinder.experiment.UsageException;
import wallfinder.linux.EnvironmentException;

/// What these options refuse before anything is measured.
class CiOptionsTest {
    @TempDir Path folder;
    private final CiOptions ci = new CiOptions();

    @Test
    void github_needs_the_file_of_the_summary() {
        ci.github = true;
        assertThatThrownBy(() -> ci.check("load", Map.of()))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("GITHUB_STEP_SUMMARY is not set");
        Map<String, String> nowhere =
                Map.of("GITHUB_STEP_SUMMARY", folder.resolve("none/summary").toString());
        assertThatThrownBy(() -> ci.check("load", nowhere))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("there is no folder");
        ci.check("load", Map.of("GITHUB_STEP_SUMMARY", folder.resolve("summary").toString()));
    }

    @Test
    void a_file_that_cannot_be_written_is_refused() {
        ci.junit = folder;
        assertThatThrownBy(() -> ci.check("load", Map.of()))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("--junit");
    }

    @Test
    void a_csv_with_other_columns_is_refused() throws Exception {
        ci.csv = Files.writeString(folder.resolve("a.csv"), "time,rate\n");
        assertThatThrownBy(() -> ci.check("load", Map.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("other columns");
    }

    @Test
    void several_results_have_no_single_row() {
        ci.csv = folder.resolve("a.csv");
        ci.refuseSeveral(1, "cells");
        assertThatThrownBy(() -> ci.refuseSeveral(2, "cells"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("2 cells");
    }

    @Test
    void a_baseline_needs_a_place_to_be_shown_and_one_wall() {
        ci.baseline = folder;
        assertThatThrownBy(() -> ci.check("load", Map.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--github and --junit");
        ci.junit = folder.resolve("a.xml");
        assertThatThrownBy(() -> ci.check("run", Map.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("cannot be used with run");
        assertThatThrownBy(() -> ci.check("load", Map.of()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("it has no run.json");
        assertThat(folder.resolve("a.xml")).doesNotExist();
    }
}
