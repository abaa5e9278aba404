package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Exact series; [DriftTest] has noisy ones.
class TrendTest {
    private static final int VALUES = 120;

    private static double[] values(int count, IntToDoubleFunction at) {
        return IntStream.range(0, count).mapToDouble(at::applyAsDouble).toArray();
    }

    @ParameterizedTest
    @ValueSource(doubles = {2, -2})
    void a_line_has_its_slope_and_its_ends(double slope) {
        assertThat(Trend.of(values(VALUES, i -> 500 + slope * i)))
                .contains(new Trend(slope, 500, 500 + 119 * slope));
    }

    @Test
    void fewer_than_twenty_values_may_be_in_order_by_chance() {
        assertThat(Trend.of(values(19, i -> i))).isEmpty();
        assertThat(Trend.of(values(20, i -> i))).isPresent();
    }

    /// The line grows by 119 in all, and the values are half of the width away from it.
    @ParameterizedTest
    @CsvSource({"78, true", "80, false"})
    void a_trend_is_three_times_as_large_as_the_noise(double width, boolean found) {
        assertThat(Trend.of(values(VALUES, i -> i + i % 2 * width)).isPresent()).isEqualTo(found);
    }

    /// In the other half it grows by 1 from value to value.
    @ParameterizedTest
    @CsvSource({"0.1, false", "0.4, true"})
    void a_trend_goes_on_in_both_halves(double slope, boolean found) {
        assertThat(Trend.of(values(VALUES, i -> i < 60 ? i : 60 + slope * (i - 60))).isPresent())
                .isEqualTo(found);
        assertThat(
                        Trend.of(values(VALUES, i -> i < 60 ? slope * i : i - 60 + 60 * slope))
                                .isPresent())
                .isEqualTo(found);
    }

    /// It rises by one after so many values. With 40, most pairs of a half are equal.
    @ParameterizedTest
    @CsvSource({"20, true", "40, false"})
    void a_figure_that_hardly_moves_has_no_trend(int steps, boolean found) {
        assertThat(Trend.of(values(VALUES, i -> i / steps)).isPresent()).isEqualTo(found);
    }
}
