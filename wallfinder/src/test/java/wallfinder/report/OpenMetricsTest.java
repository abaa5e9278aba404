package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import wallfinder.record.RunRecord;
import wallfinder.record.SampleCapacity;
import wallfinder.record.SampleRun;

class OpenMetricsTest {
    private static final Pattern META =
            Pattern.compile("# (TYPE|UNIT|HELP) ([a-z_]+) ([\\p{L}\\p{N}\\p{P}\\p{S} ]+)");
    private static final String LABEL = "[a-z]+=\"(?:[^\"\\\\\\p{Cc}]|\\\\[\\\\\"n])*\"";
    private static final Pattern SAMPLE =
            Pattern.compile(
                    "([a-z_]+)\\{("
                            + LABEL
                            + "(?:,"
                            + LABEL
                            + ")*)\\} (-?\\d+(?:\\.\\d+)?|\\+Inf)");

    /// What a strict reader of OpenMetrics 1.0 asks of the lines that we write.
    static void assertStrict(String text) {
        assertThat(text).endsWith("\n# EOF\n");
        List<String> lines = text.lines().toList();
        assertThat(lines.indexOf("# EOF")).isEqualTo(lines.size() - 1);
        String family = "";
        String type = "";
        Set<String> families = new HashSet<>();
        Set<String> samples = new HashSet<>();
        for (String line : lines.subList(0, lines.size() - 1)) {
            Matcher meta = META.matcher(line);
            if (meta.matches()) {
                if (meta.group(1).equals("TYPE")) {
                    family = meta.group(2);
                    type = meta.group(3);
                    assertThat(families.add(family)).as("one block for " + family).isTrue();
                }
                assertThat(meta.group(2)).isEqualTo(family);
                if (meta.group(1).equals("UNIT")) {
                    assertThat(family).endsWith("_" + meta.group(3));
                }
                continue;
            }
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            assertThat(samples.add(sample.group(1) + sample.group(2))).as("once: " + line).isTrue();
            assertThat(sample.group(1).substring(family.length()))
                    .as(line)
                    .isIn(
                            switch (type) {
                                case "info" -> List.of("_info");
                                case "summary" -> List.of("", "_count", "_sum");
                                default -> List.of("");
                            });
        }
    }

    static Stream<RunRecord> runs() {
        return JUnitXmlTest.runs();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void a_strict_reader_accepts_every_run(RunRecord run) {
        assertStrict(OpenMetrics.text(run));
    }

    @Test
    void a_run_has_its_wall_its_rate_and_its_percentiles() {
        assertThat(OpenMetrics.text(SampleRun.fullLadder()))
                .contains("verdict=\"named\",wall=\"accept-queue\"} 1\n")
                .contains(
                        "wallfinder_good_answers_per_second{trial=\"climb-3-connections-256\"} 256\n")
                .containsPattern("quantile=\"0.99\"} 1\\.04");
    }

    @ParameterizedTest
    @MethodSource("capacities")
    void a_capacity_has_no_figures_of_the_trials_above_it(RunRecord run) {
        assertThat(OpenMetrics.text(run))
                .contains("wall=\"accept-queue\"} 1\n", "bound=\"estimate\"} ")
                .doesNotContain(
                        "wallfinder_good_answers_per_second{",
                        "wallfinder_failed_ratio{",
                        "wallfinder_response_seconds{");
    }

    static Stream<RunRecord> capacities() {
        return Stream.of(SampleCapacity.run(401.5, 390, 410), SampleCapacity.ladder());
    }
}
