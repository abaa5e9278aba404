package wallfinder.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class ExcerptTest {
    private static String run(int trials, int evidence, int textChars) {
        String reading = "{\"says\": \"%s\"}".formatted("x".repeat(textChars));
        String readings =
                IntStream.range(0, evidence)
                        .mapToObj(_ -> reading)
                        .collect(Collectors.joining(","));
        String trial =
                """
                {"name": "t", "load": {"good": 5}, "sandbox": {"a": 1},
                 "diagnosis": {"wall": "cpu", "evidence": [%s],
                   "ruledOut": [{"wall": "gc", "state": "clear", "because": "-"},
                     {"wall": "cpu-quota", "state": "near", "because": "-"},
                     {"wall": "disk-io", "state": "unknown", "because": "-"},
                     {"wall": "heap", "state": "clear", "because": "-"}]}}
                """
                        .formatted(readings);
        return """
        {"schema": "wallfinder/1", "host": {"cpus": 2}, "ended": "the CPU limits it",
         "ladder": [{"trial": 1}, {"trial": 3}], "trials": [%s]}
        """
                .formatted(
                        IntStream.range(0, trials)
                                .mapToObj(_ -> trial)
                                .collect(Collectors.joining(",")));
    }

    @Test
    void the_trials_of_the_ladder_and_the_last_one_stay() {
        ObjectNode excerpt = Excerpt.of(run(9, 2, 10));
        assertThat(excerpt.get("trials").valueStream().map(trial -> trial.get("number").asInt()))
                .containsExactly(1, 3, 8);
        assertThat(excerpt.get("leftOut").asString()).startsWith("6 trials");
        assertThat(excerpt.at("/trials/0/diagnosis/ruledOut").asString()).isEqualTo("gc heap");
        assertThat(excerpt.at("/trials/0/diagnosis/near").asString()).isEqualTo("cpu-quota");
        assertThat(excerpt.at("/trials/0/diagnosis/unknown").asString()).isEqualTo("disk-io");
        assertThat(excerpt.at("/trials/0/load/good").asInt()).isEqualTo(5);
        assertThat(excerpt.has("host")).isFalse();
        assertThat(excerpt.at("/trials/0").has("sandbox")).isFalse();
    }

    @Test
    void an_excerpt_is_bounded() {
        ObjectNode excerpt = Excerpt.of(run(4, 500, 5000));
        assertThat(excerpt.toString().length()).isLessThanOrEqualTo(Excerpt.CHARS_MAX);
        assertThat(excerpt.get("trials").size()).isPositive();
    }

    @Test
    void what_cannot_be_shortened_is_left_out() {
        String keys =
                IntStream.range(0, 5000)
                        .mapToObj("\"key%d\": 1"::formatted)
                        .collect(Collectors.joining(","));
        assertThat(Excerpt.of("{" + keys + "}").toString())
                .contains("leftOut")
                .hasSizeLessThan(200);
    }
}
