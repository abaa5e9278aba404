package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.Tree;
import wallfinder.diagnosis.Diagnosis;

/// The diagnosis of each recorded case of the catalogue is still the expected one.
class RecordedCatalogueTest {

    static List<String> recorded() throws IOException {
        return RecordedObservation.names();
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void it_is_judged_as_it_was_planted(String name) throws Exception {
        RecordedObservation recorded = RecordedObservation.named(name);
        Path file = Tree.ROOT.resolve(CatalogueCase.FOLDER).resolve(name + ".yaml");
        CatalogueCase planted = CatalogueCase.of(name, Files.readString(file), recorded.seed());
        assertThat(Catalogue.wrong(planted, recorded.observation()))
                .as(() -> String.valueOf(Diagnosis.of(recorded.observation())))
                .isEmpty();
    }

    @Test
    void every_case_was_recorded() throws Exception {
        assertThat(CatalogueCase.all(Tree.ROOT, 1).stream().map(CatalogueCase::name))
                .containsExactlyElementsOf(RecordedObservation.names());
    }

    @Test
    @Tag("slow")
    void an_observation_is_written_and_read_without_loss(@TempDir Path folder) throws Exception {
        RecordedObservation.names().parallelStream()
                .forEach(name -> assertWithoutLoss(name, folder));
    }

    private static void assertWithoutLoss(String name, Path folder) {
        try {
            RecordedObservation one = RecordedObservation.named(name);
            Path file = folder.resolve(name + RecordedObservation.END);
            one.write(file);
            assertThat(RecordedObservation.read(file).json()).as(name).isEqualTo(one.json());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
