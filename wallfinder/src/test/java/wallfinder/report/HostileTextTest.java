package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import wallfinder.record.Outcome;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleRun;

/// One list of texts that nobody should have to fear, as names in a run, through all that shows a
/// run.
class HostileTextTest {
    private static final String UNSEEN = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\n]]";

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b[31mred\u001b[0m",
                "\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007",
                "\u009b2J\u009d0;title\u009c",
                "\u202egpj.exe\u2066",
                "first\nsecond\r\nthird",
                "\u2028line\u2029",
                "\u0000\b\u007f",
                "</script><script>window.bad = 1</script>",
                "<!--<img src=x onerror=alert(1)>",
                "| cell | ::error::no %0A %25 `code` ![x](http://evil.example) @someone <b>",
                "::set-output name=wall::none",
                "]]> &amp; \ufffe\uffff",
                "\"quoted\", 'single', back\\slash, %s %n {0} ${user.home}",
            })
    void a_hostile_name_is_only_text(String name) throws Exception {
        RunRecord run = SampleRun.named(name);

        for (boolean ansi : new boolean[] {false, true}) {
            String shown = new Terminal(ansi).load(run, null);
            String plain =
                    shown.replace("\u001b[1m", "")
                            .replace("\u001b[2m", "")
                            .replace("\u001b[0m", "");
            assertThat(ansi ? plain : shown)
                    .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\n]]");
        }

        String html = Page.html(run);
        assertThat(html)
                .doesNotContain("<script>window.bad", "<img src=x", "<!--<img")
                .doesNotContain("\u2028", "\u2029");

        forCi(name, run);

        RunFolder.write(run, folder);
        JsonNode json = JsonMapper.shared().readTree(folder.resolve(RunFolder.RUN_JSON).toFile());
        assertThat(json.at("/name").asString()).isEqualTo(name);
        assertThat(json.at("/trials/0/name").asString()).isEqualTo("climb " + name);
        assertThat(rows(Files.readString(folder.resolve(RunFolder.SERIES_CSV))))
                .isEqualTo(1 + run.trials().getFirst().observation().timeline().nanos().length);
    }

    private void forCi(String name, RunRecord run) throws Exception {
        Path junit = folder.resolve("junit.xml");
        JUnitXml.write(run, Outcome.MISSED, List.of(name), junit);
        assertThat(JUnitXmlTest.parsed(junit).getElementsByTagName("testcase").getLength())
                .isEqualTo(2);

        Baseline compared = new Baseline(true, name);
        String annotations = GitHubAnnotations.text(run, Outcome.MISSED, compared);
        assertThat(annotations).doesNotContainPattern(UNSEEN);
        assertThat(annotations.lines())
                .hasSize(3)
                .allMatch(line -> line.matches("::(error|warning|notice) title=[^:,]*::.*"));

        String markdown = GitHubSummary.markdown(run, Outcome.MISSED, compared, name);
        assertThat(markdown)
                .doesNotContain("<", ">", "`", "![", "](")
                .doesNotContainPattern(UNSEEN);
        assertThat(markdown.lines().filter(line -> line.startsWith("|")))
                .hasSize(7)
                .allMatch(line ->
                        line.chars().filter(c -> c == '|').count() == 9
                                || line.chars().filter(c -> c == '|').count() == 4);
        assertThat(GitHubOutputs.text(run, name).lines()).hasSize(4);

        OpenMetricsTest.assertStrict(OpenMetrics.text(run));

        Path csv = folder.resolve("log.csv");
        CsvLog.append(run, Outcome.DONE, new CsvLog.Revision(name, name), csv);
        assertThat(rows(Files.readString(csv))).isEqualTo(2);
        assertThat(Files.readAllLines(csv)).hasSize(2);
    }

    /// The rows of RFC 4180: a line break in quotes ends no row.
    private static long rows(String csv) {
        boolean quoted = false;
        long rows = 0;
        for (int i = 0; i < csv.length(); i++) {
            quoted ^= csv.charAt(i) == '"';
            rows += !quoted && csv.charAt(i) == '\n' ? 1 : 0;
        }
        return rows;
    }
}
