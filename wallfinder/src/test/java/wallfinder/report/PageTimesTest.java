package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import wallfinder.observation.End;
import wallfinder.observation.ResponseFigure;
import wallfinder.observation.Series;
import wallfinder.observation.Timeline;

/// The response times of a trial over time: at first a tenth of the answers take ten times as long,
/// and later all do.
class PageTimesTest {
    private static final int MILLISECOND = 96;
    private static final long[] SECONDS = {0, 1_000_000_000, 2_000_000_000, 3_000_000_000L};

    private static Series series(int bucket, double... values) {
        return new Series(ResponseFigure.of(bucket).at(End.CLIENT, "the load engine"), values);
    }

    private final Timeline timeline =
            new Timeline(
                    SECONDS,
                    List.of(
                            series(MILLISECOND, 0, 900, 900, 900),
                            series(MILLISECOND + 16, 0, 100, 600, 600)));

    private static List<Object> list(Map<String, ?> json, String name) {
        return new ArrayList<>((List<?>) json.get(name));
    }

    private static double number(Map<String, ?> json, String name, int index) {
        return ((Number) list(json, name).get(index)).doubleValue();
    }

    @Test
    void each_interval_has_its_percentiles_and_its_column_of_the_heat_map() {
        Map<String, ?> json = PageTimes.of(timeline, new int[] {0, 1, 2, 3});
        assertThat(number(json, "t", 0)).isEqualTo(1);
        assertThat(number(json, "p50", 0)).isBetween(1.0, 1.155);
        assertThat(number(json, "p99", 0)).isBetween(10.0, 11.55);
        assertThat(number(json, "p50", 1)).isBetween(10.0, 11.55);
        assertThat(list(json, "p50").get(2)).as("no answer").isNull();
        assertThat(list(json, "cells"))
                .containsExactly("5" + "0".repeat(15) + "4", "0".repeat(16) + "5", "0".repeat(17));
        assertThat(list(json, "edges")).hasSize(18);
        assertThat(number(json, "edges", 0)).isCloseTo(1, within(0.001));
        assertThat(number(json, "edges", 16)).isCloseTo(10, within(0.001));
    }

    /// Half of all answers took a millisecond, so the median is at the end of that bucket.
    @Test
    void a_longer_interval_has_the_answers_of_those_in_it() {
        Map<String, ?> json = PageTimes.of(timeline, new int[] {0, 3});
        assertThat(number(json, "p50", 0)).isBetween(1.05, 1.155);
        assertThat(list(json, "cells")).containsExactly("5" + "0".repeat(15) + "5");
    }

    @Test
    void without_response_times_there_is_no_heat_map() {
        assertThat(PageTimes.of(new Timeline(SECONDS, List.of()), new int[] {0, 3})).isNull();
    }
}
