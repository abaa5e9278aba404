package wallfinder.lab.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.diagnosis.StudentT;

final class EarlyStopTest {
    private static final int COMPARISONS = 20_000;

    /// Uses Student's t intervals, which the bootstrap's intervals approximate for normal data.
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

    /// Simulates two equal arms.
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
    void one_look_has_the_whole_error_rate_and_five_looks_share_it() {
        assertThat(EarlyStop.errorRatePerLook(3)).isEqualTo(EarlyStop.ERROR_RATE);
        assertThat(EarlyStop.errorRatePerLook(2)).isEqualTo(EarlyStop.ERROR_RATE);
        assertThat(EarlyStop.errorRatePerLook(5)).isCloseTo(0.0227, within(0.0005));
        assertThat(EarlyStop.looks(2, 5)).isFalse();
        assertThat(EarlyStop.looks(3, 5)).isTrue();
        assertThat(EarlyStop.looks(2, 2)).isTrue();
    }
}
