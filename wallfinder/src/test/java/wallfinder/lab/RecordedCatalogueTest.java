package wallfinder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.diagnosis.Diagnosis;

/// What was once seen of every case of the catalogue is judged as it was planted, today too.
class RecordedCatalogueTest {
    private static final Path ROOT =
            Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();

    static List<String> recorded() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve(RecordedObservation.FOLDER))) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(file -> file.endsWith(RecordedObservation.END))
                    .map(file -> file.replace(RecordedObservation.END, ""))
                    .sorted()
                    .toList();
        }
    }

    private static RecordedObservation read(String name) {
        try {
            return RecordedObservation.read(
                    ROOT.resolve(RecordedObservation.FOLDER)
                            .resolve(name + RecordedObservation.END));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void it_is_judged_as_it_was_planted(String name) throws Exception {
        RecordedObservation recorded = read(name);
        Path file = ROOT.resolve(CatalogueCase.FOLDER).resolve(name + ".yaml");
        CatalogueCase planted = CatalogueCase.of(name, Files.readString(file), recorded.seed());
        assertThat(Catalogue.wrong(planted, recorded.observation()))
                .as(() -> String.valueOf(Diagnosis.of(recorded.observation())))
                .isEmpty();
    }

    @Test
    void every_case_was_recorded() throws Exception {
        assertThat(CatalogueCase.all(ROOT, 1).stream().map(CatalogueCase::name))
                .containsExactlyElementsOf(recorded());
    }

    @Test
    @Tag("slow")
    void an_observation_is_written_and_read_without_loss(@TempDir Path folder) throws Exception {
        for (String name : recorded()) {
            RecordedObservation one = read(name);
            Path file = folder.resolve(name + RecordedObservation.END);
            one.write(file);
            assertThat(RecordedObservation.read(file).json()).isEqualTo(one.json());
        }
    }
}
