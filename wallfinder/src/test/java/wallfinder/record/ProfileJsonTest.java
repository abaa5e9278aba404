package wallfinder.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Profiles in `run.json`.
class ProfileJsonTest {
    private static JsonNode profile(RunRecord run) throws IOException {
        String json = new String(RunJson.bytes(run), StandardCharsets.UTF_8);
        String schema =
                Files.readString(
                        Path.of(System.getProperty("project.root", ".."))
                                .resolve("docs/run.schema.json"));
        assertThat(
                        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                                .getSchema(schema, InputFormat.JSON)
                                .validate(json, InputFormat.JSON))
                .isEmpty();
        return JsonMapper.builder().build().readTree(json).at("/ladder/0/profile");
    }

    @Test
    void a_profile_without_a_proven_remedy_has_no_change() throws IOException {
        JsonNode profile = profile(SampleProfile.atCpu());
        assertThat(profile.at("/cpuMicrosPerAnswer").doubleValue()).isEqualTo(1_000);
        assertThat(profile.has("change")).isFalse();
    }

    @Test
    void a_change_says_of_each_method_whether_it_differs() throws IOException {
        JsonNode change = profile(SampleProfile.changed()).get("change");
        assertThat(change.get("pairs").intValue()).isEqualTo(4);
        assertThat(change.at("/cpuMicrosPerAnswer/before").doubleValue()).isEqualTo(1_000);
        assertThat(change.at("/cpuMicrosPerAnswer/after").doubleValue()).isEqualTo(600);
        JsonNode first = change.at("/methods/0");
        assertThat(first.get("name").stringValue()).isEqualTo("org.example.Parser.parse");
        assertThat(first.get("differs").booleanValue()).isTrue();
        assertThat(first.get("high").doubleValue()).isNegative();
    }
}
