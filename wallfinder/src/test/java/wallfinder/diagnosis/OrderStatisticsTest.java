package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import wallfinder.observation.Thinned;

class OrderStatisticsTest {
    private static final double TRUE_P99 = -Math.log(0.01);

    private final SplittableRandom random = new SplittableRandom(7);

    @Test
    void ninety_nine_of_a_hundred_values_say_nothing_above_them() {
        long[] few = random.longs(100, 0, 1_000).toArray();
        OrderStatistics.Interval interval = OrderStatistics.percentile(new Thinned(1, few), 99);
        assertThat(interval.low()).isFinite();
        assertThat(interval.high()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(OrderStatistics.percentile(Thinned.NONE, 99).low()).isInfinite();
    }

    /// Each value is repeated, as slow answers are by one full queue.
    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void the_interval_of_a_percentile_has_the_true_value_although_neighbours_are_alike(
            int groupSize) {
        int covered = 0;
        int cases = 300;
        double widest = 0;
        for (int i = 0; i < cases; i++) {
            OrderStatistics.Interval interval =
                    OrderStatistics.percentile(new Thinned(1, groups(4_000, groupSize)), 99);
            boolean has = interval.low() <= 1e6 * TRUE_P99 && 1e6 * TRUE_P99 <= interval.high();
            covered += has ? 1 : 0;
            widest = Math.max(widest, interval.low() / 1e6);
        }
        assertThat(covered).isGreaterThan(cases * 90 / 100);
        assertThat(widest).as("the intervals are not all without bounds").isGreaterThan(3);
    }

    private long[] groups(int groups, int size) {
        long[] values = new long[groups * size];
        for (int i = 0; i < values.length; i += size) {
            long value = Math.round(-1e6 * Math.log(1 - random.nextDouble()));
            Arrays.fill(values, i, i + size, value);
        }
        return values;
    }
}
