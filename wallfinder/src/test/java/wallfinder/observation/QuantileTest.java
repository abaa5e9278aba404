package wallfinder.observation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantileTest {
    @ParameterizedTest
    @CsvSource({"4, 4", "4, 3 5 4", "2.5, 3 2 1 4", "3, 9 1 3 2 8", "3, NaN 5 NaN 1 3"})
    void a_median_is_the_middle_known_value_or_the_mean_of_the_two(double median, String values) {
        double[] all = Arrays.stream(values.split(" ")).mapToDouble(Double::parseDouble).toArray();
        assertThat(Quantile.median(all)).isEqualTo(median);
    }

    @Test
    void nothing_known_has_no_median() {
        assertThat(Quantile.median(new double[0])).isNaN();
        assertThat(Quantile.median(new double[] {Double.NaN})).isNaN();
    }

    @Test
    void a_percentile_of_nothing_is_unknown() {
        Histogram values = new Histogram(3);
        assertThat(Quantile.percentile(values, 99)).isNaN();
        for (int i = 1; i <= 100; i++) {
            values.recordValue(i);
        }
        assertThat(Quantile.percentile(values, 99)).isEqualTo(99);
    }
}
