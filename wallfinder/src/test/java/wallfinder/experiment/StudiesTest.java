package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The experiments in the repository.
class StudiesTest {
    private static final Path EXPERIMENTS =
            Path.of(System.getProperty("project.root", "..")).resolve("experiments");

    @Test
    void every_study_can_be_read_and_is_named_after_its_file() throws Exception {
        List<Path> studies;
        try (Stream<Path> files = Files.list(EXPERIMENTS)) {
            studies = files.toList();
        }
        assertThat(studies).isNotEmpty();
        assertThat(studies)
                .allSatisfy(study -> {
                    Matrix matrix = ExperimentFile.readMatrix(study, jvm -> Optional.empty());
                    assertThat(study.getFileName()).hasToString(matrix.name() + ".yaml");
                    assertThat(matrix.cells()).isNotEmpty();
                });
    }
}
