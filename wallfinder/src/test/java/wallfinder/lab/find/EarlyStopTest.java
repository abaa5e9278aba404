package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EarlyStopTest {
    private static final int COMPARISONS = 20_000;

    /// Student's t intervals, as those of the bootstrap are for normal data.
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 8, 20})
    void all_looks_together_are_wrong_in_five_of_a_hundred_comparisons(int pairsMax) {
        SplittableRandom random = new SplittableRandom(pairsMax);
        double[] quantiles = new double[pairsMax + 1];
        for (int pairs = EarlyStop.PAIRS_MIN; pairs <= pairsMax; pairs++) {
            quantiles[pairs] =
                    StudentT.quantile(EarlyStop.errorRatePerLook(pairsMax) / 2, pairs - 1);
        }
        int wrong = 0;
        for (int comparison = 0; comparison < COMPARISONS; comparison++) {
            wrong += stopsWrongly(pairsMax, quantiles, random) ? 1 : 0;
        }
        assertThat((double) wrong / COMPARISONS).isCloseTo(0.045, within(0.011));
    }

    /// Of arms that do not differ.
    private static boolean stopsWrongly(int pairsMax, double[] quantiles, SplittableRandom random) {
        double sum = 0;
        double squares = 0;
        for (int pairs = 1; pairs <= pairsMax; pairs++) {
            double log = random.nextGaussian();
            sum += log;
            squares += log * log;
            if (pairs >= EarlyStop.PAIRS_MIN) {
                double mean = sum / pairs;
                double variance = (squares - pairs * mean * mean) / (pairs - 1);
                if (Math.abs(mean) > quantiles[pairs] * Math.sqrt(variance / pairs)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void one_look_has_the_whole_error_rate() {
        assertThat(EarlyStop.errorRatePerLook(3)).isEqualTo(EarlyStop.ERROR_RATE);
        assertThat(EarlyStop.errorRatePerLook(2)).isEqualTo(EarlyStop.ERROR_RATE);
        assertThat(EarlyStop.looks(2, 5)).isFalse();
        assertThat(EarlyStop.looks(3, 5)).isTrue();
        assertThat(EarlyStop.looks(2, 2)).isTrue();
    }

    /// From any table of Student's distribution.
    @ParameterizedTest
    @CsvSource({
        "0.025, 1, 12.706",
        "0.025, 2, 4.303",
        "0.025, 4, 2.776",
        "0.025, 10, 2.228",
        "0.005, 3, 5.841",
        "0.01, 7, 2.998",
        "0.05, 30, 1.697"
    })
    void quantiles_are_those_of_the_tables(double tail, int freedom, double quantile) {
        assertThat(StudentT.quantile(tail, freedom)).isCloseTo(quantile, within(0.001));
        assertThat(StudentT.normalQuantile(0.025)).isCloseTo(1.96, within(0.002));
    }
}
