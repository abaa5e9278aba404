package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Compares with printed tables of Student's t distribution.
class StudentTTest {
    @ParameterizedTest
    @CsvSource({
        "0.025, 1, 12.706",
        "0.025, 2, 4.303",
        "0.025, 3, 3.182",
        "0.025, 4, 2.776",
        "0.025, 5, 2.571",
        "0.025, 10, 2.228",
        "0.005, 3, 5.841",
        "0.01, 7, 2.998",
        "0.05, 30, 1.697",
        "0.005, 4, 4.604",
        "0.005, 9, 3.250",
        "0.05, 2, 2.920",
        "0.05, 7, 1.895",
        "0.0005, 3, 12.924",
    })
    void a_quantile_is_that_of_the_tables(double tail, int freedom, double expected) {
        assertThat(StudentT.quantile(tail, freedom)).isCloseTo(expected, within(0.0006));
    }

    @Test
    void many_degrees_of_freedom_are_the_normal_distribution() {
        assertThat(StudentT.normalQuantile(0.025)).isCloseTo(1.95996, within(0.002));
        assertThat(StudentT.normalQuantile(0.16)).isCloseTo(0.99446, within(0.002));
    }

    @Test
    void half_of_the_values_are_above_zero() {
        assertThat(StudentT.quantile(0.5, 3)).isCloseTo(0, within(1e-9));
    }
}
