package wallfinder.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.record.JvmRow;
import wallfinder.report.JvmTable;

class JvmsTest {
    @Test
    void the_running_jvm_is_listed() {
        List<JvmRow> jvms = Jvms.onThisHost();
        assertThat(jvms)
                .anySatisfy(jvm -> {
                    assertThat(jvm.version()).isEqualTo(System.getProperty("java.version"));
                    assertThat(jvm.from()).contains("Wallfinder's own", "running");
                });
        assertThat(jvms).isSortedAccordingTo((a, b) -> Integer.compare(b.major(), a.major()));
    }

    @Test
    void jvms_are_printed_as_a_table_and_as_json() throws Exception {
        List<JvmRow> jvms =
                List.of(
                        new JvmRow(
                                25,
                                "25.0.3",
                                "A",
                                "/x/25",
                                List.of("PATH", "/x"),
                                List.of("classes.jsa")),
                        new JvmRow(21, "21.0.1", "B", "/x/21", List.of("/x"), List.of()));
        String table = JvmTable.text(jvms, false);
        assertThat(table.lines())
                .contains(
                        "  25.0.3   A       yes                 /x/25   PATH, /x",
                        "  21.0.1   B       none                /x/21   /x");
        assertThat(table).contains("`jvm:` of an experiment takes", "-Xshare:dump");
        JsonNode json = JsonMapper.shared().readTree(JvmTable.json(jvms));
        assertThat(json.at("/0/from/0").asString()).isEqualTo("PATH");
        assertThat(json.at("/1/archives").size()).isZero();
    }
}
