package wallfinder.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Reads runs that were recorded, and compares the words with the schema.
class RunJsonTest {
    private static final Path SCHEMA =
            Path.of(System.getProperty("project.root"), "docs", "run.schema.json");

    @TempDir private Path folder;

    @Test
    void the_walls_are_those_of_the_schema() {
        assertThat(Stream.of(Wall.values()).filter(wall -> wall != Wall.OTHER).map(Words::of))
                .containsExactlyElementsOf(words("/$defs/wall"));
    }

    @Test
    void the_other_words_are_those_of_the_schema() {
        assertThat(Stream.of(Verdict.values()).map(Words::of))
                .containsExactlyInAnyOrderElementsOf(words("/$defs/diagnosis/properties/verdict"));
        assertThat(Stream.of(End.values()).map(Words::of))
                .containsExactlyInAnyOrderElementsOf(words("/$defs/end"));
        assertThat(Stream.of(Harm.values()).map(Words::of))
                .containsExactlyInAnyOrderElementsOf(words("/$defs/harms"));
    }

    @Test
    void a_ladder_has_its_walls_and_what_moved_them() throws Exception {
        FindResult found = read("find").find();
        assertThat(found.wall()).isEqualTo(Wall.ACCEPT_QUEUE);
        assertThat(found.trial().name()).isEqualTo("climb-1-wall-256");
        assertThat(found.trial().diagnosis().ruledOut())
                .contains(Wall.CONNECTION_CHURN)
                .doesNotContain(Wall.LOAD_GENERATOR);
        assertThat(found.ladder()).hasSize(2);
        Rung first = found.ladder().get(0);
        assertThat(first.remedy()).isEqualTo(new Rung.Remedy("backlog", "128", "4096"));
        assertThat(first.gain()).isEqualTo(6.379);
        assertThat(first.gainLow()).isEqualTo(4.1892);
        assertThat(first.gainHigh()).isEqualTo(9.9754);
        assertThat(found.ladder().get(1).wall()).isEqualTo(Wall.CPU);
        assertThat(found.ladder().get(1).remedy()).isNull();
        assertThat(found.summary())
                .contains(
                        "accept-queue at 227.2/s, moved by backlog 128 -> 4096: 6.38 times; cpu at")
                .contains(folder.resolve("report.html").toString());
    }

    @Test
    void a_capacity_has_its_interval_and_the_wall_above() throws Exception {
        CapacityResult found = read("capacity").capacity();
        assertThat(found.ratePerSecond()).isEqualTo(95.486);
        assertThat(found.low()).isEqualTo(90.95);
        assertThat(found.high()).isEqualTo(100.248);
        assertThat(found.confirmed()).isFalse();
        assertThat(found.wall()).isNull();
        String above =
                recorded("capacity")
                        .replace(
                                "\"wall\": null,\n  \"wallTrial\": null",
                                "\"wall\": \"gc\",\n  \"wallTrial\": 0");
        assertThat(read(above, folder).capacity().wall()).isEqualTo(Wall.GC);
    }

    @Test
    void a_wall_that_is_newer_than_the_extension_is_another_wall() throws Exception {
        String text = recorded("find").replace("accept-queue", "tea-break");
        FindResult found = read(text, folder).find();
        assertThat(found.wall()).isEqualTo(Wall.OTHER);
        assertThat(found.trial().diagnosis().text()).startsWith("tea-break, on the server");
    }

    @Test
    void a_file_of_another_schema_is_refused() throws Exception {
        String text = recorded("find").replace("wallfinder/1", "wallfinder/2");
        assertThatThrownBy(() -> read(text, folder))
                .isInstanceOf(WallfinderException.class)
                .hasMessageContaining("wallfinder/2");
    }

    @Test
    void a_file_that_is_cut_off_is_refused() throws Exception {
        String text = recorded("find");
        assertThatThrownBy(() -> read(text.substring(0, text.length() / 2), folder))
                .isInstanceOf(WallfinderException.class)
                .hasMessageContaining("what to do");
    }

    private RunJson read(String name) throws Exception {
        return read(recorded(name), folder);
    }

    private static RunJson read(String text, Path folder) throws Exception {
        Files.writeString(folder.resolve("run.json"), text);
        return RunJson.read(folder);
    }

    private static String recorded(String name) throws Exception {
        return Files.readString(
                Path.of(RunJsonTest.class.getResource("/" + name + ".json").toURI()));
    }

    private static List<String> words(String place) {
        JsonNode schema = JsonMapper.shared().readTree(SCHEMA.toFile());
        return schema.at(place).path("enum").valueStream().map(JsonNode::asString).toList();
    }
}
