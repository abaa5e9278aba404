package wallfinder.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.ExperimentFile;
import wallfinder.experiment.Matrix;

class ExperimentsTest {
    private static final String EXPERIMENT =
            """
            # What it is for.
            name: crew
            services:
              front:
                command: "{jvm}/bin/java -jar front.jar --workers={crew} --wait={wait}"
                ready: tcp://{server}:9092
                knobs: { crew: { value: 1, moves: server-concurrency } }
            load: { url: "http://{server}:9092/", connections: 8, duration: 1s }
            """;

    private static Matrix read(String text) {
        return ExperimentFile.parseMatrix(text, "decide.yaml", "crew", jvm -> Optional.empty());
    }

    @Test
    void a_factor_becomes_the_matrix_of_an_experiment_without_one() {
        String text = Experiments.with(EXPERIMENT.replace(" --wait={wait}", ""), "crew: [1, 8]");
        assertThat(text).startsWith("name: crew\n").endsWith("matrix:\n  crew: [1, 8]\n");
        assertThat(read(text).cells())
                .extracting(cell -> cell.factors().get("crew"))
                .containsExactly("1", "8");
    }

    @Test
    void a_factor_is_added_to_the_matrix_that_is_there() {
        String text =
                Experiments.with(
                        EXPERIMENT + "matrix:  # of waits\n    wait: [5, 15]\nrepeat: 3\n",
                        "crew: [1, 8]");
        Matrix matrix = read(text);
        assertThat(matrix.cells()).hasSize(4);
        assertThat(matrix.repeat()).isEqualTo(3);
    }
}
