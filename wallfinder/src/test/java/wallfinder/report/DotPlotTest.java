package wallfinder.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Where the dots of a picture are.
class DotPlotTest {
    private static final Pattern DOT =
            Pattern.compile("<circle class=\"([^\"]*)\" cx=\"([^\"]*)\"");
    private static final Pattern RANGE =
            Pattern.compile("<line class=\"range\" x1=\"([^\"]*)\" y1=\"11\" x2=\"([^\"]*)\"");

    private static DotPlot.Row row(double value) {
        return new DotPlot.Row("cell", value, value, value, "figure", value > 0);
    }

    private static String drawn(BiConsumer<List<DotPlot.Row>, Html> plot, DotPlot.Row... rows) {
        Html html = new Html();
        plot.accept(List.of(rows), html);
        return html.toString();
    }

    private static List<Double> places(String html) {
        return DOT.matcher(html).results().map(dot -> Double.valueOf(dot.group(2))).toList();
    }

    @Test
    void half_of_a_rate_is_half_as_far_from_zero() {
        List<Double> x =
                places(
                        drawn(
                                (rows, html) -> DotPlot.fromZero("rates", rows, html),
                                row(1_000),
                                row(500),
                                row(0)));
        assertThat(x.get(1) - x.get(2)).isCloseTo(x.get(0) - x.get(1), within(0.11));
    }

    @Test
    void a_factor_is_as_far_from_one_as_its_inverse() {
        List<Double> x =
                places(
                        drawn(
                                (rows, html) -> DotPlot.aroundOne("ratios", rows, html),
                                row(4),
                                row(1),
                                row(0.25)));
        assertThat(x.get(0)).isGreaterThan(x.get(1));
        assertThat(x.get(1) - x.get(2)).isCloseTo(x.get(0) - x.get(1), within(0.11));
    }

    /// Otherwise the noise of a thousandth would fill the picture.
    @Test
    void an_effect_within_the_noise_stays_near_one() {
        List<Double> x =
                places(
                        drawn(
                                (rows, html) -> DotPlot.aroundOne("ratios", rows, html),
                                row(1.01),
                                row(1)));
        assertThat(x.get(0) - x.get(1)).isBetween(0.5, 20.0);
    }

    @Test
    void a_bound_is_hollow_and_an_interval_is_a_line() {
        String html =
                drawn(
                        (rows, into) -> DotPlot.fromZero("rates", rows, into),
                        new DotPlot.Row("1: pool 4", 100, 80, 120, ">= 100/s", false),
                        row(80),
                        row(120));
        List<Double> x = places(html);
        assertThat(html).contains("<circle class=\"dot bound\"", "1: pool 4: &gt;= 100/s</title>");
        MatchResult range = RANGE.matcher(html).results().findFirst().orElseThrow();
        assertThat(Double.parseDouble(range.group(1))).isEqualTo(x.get(1));
        assertThat(Double.parseDouble(range.group(2))).isEqualTo(x.get(2));
    }

    @Test
    void a_picture_has_no_more_rows_than_anyone_compares() {
        DotPlot.Row[] rows =
                IntStream.rangeClosed(1, 70).mapToObj(i -> row(i)).toArray(DotPlot.Row[]::new);
        String html = drawn((all, into) -> DotPlot.fromZero("rates", all, into), rows);
        assertThat(places(html)).hasSize(60);
        assertThat(html).contains("10 more below.");
        assertThat(Stream.of(drawn((all, into) -> DotPlot.fromZero("none", all, into))))
                .containsOnly("");
    }
}
