package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /// The usual table of intervals of the median, by the places of their bounds.
    @ParameterizedTest
    @CsvSource({"6, 1, 6", "9, 2, 8", "10, 2, 9", "20, 6, 15"})
    void the_interval_of_a_median_is_that_of_the_table(int count, double low, double high) {
        OrderStatistics.Interval interval = percentile(LongStream.rangeClosed(1, count), 50);
        assertThat(interval.low()).isEqualTo(low);
        assertThat(interval.high()).isEqualTo(high);
        assertThat(interval.independent()).isEqualTo(count);
    }

    @Test
    void five_values_give_no_interval_of_their_median() {
        assertThat(percentile(LongStream.rangeClosed(1, 5), 50))
                .isEqualTo(
                        new OrderStatistics.Interval(
                                Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 5));
    }

    /// The largest of 368 values is above the true p99 in 97.5 % of all cases. The large ones are
    /// far from each other.
    @Test
    void the_99th_percentile_has_an_upper_bound_from_368_values_on() {
        assertThat(percentile(LongStream.range(0, 367).map(i -> 37 * i % 367), 99).high())
                .isInfinite();
        assertThat(percentile(LongStream.range(0, 368).map(i -> 37 * i % 368), 99))
                .satisfies(interval -> assertThat(interval.high()).isEqualTo(367))
                .satisfies(interval -> assertThat(interval.independent()).isEqualTo(368));
    }

    /// 39 of 400 answers are slow. By chance, four of them follow another slow one.
    @ParameterizedTest
    @CsvSource({"0, 400", "7, 400", "8, 200"})
    void slow_answers_that_follow_each_other_more_often_than_by_chance_count_less(
            int pairs, int independent) {
        long[] values = LongStream.rangeClosed(1, 400).toArray();
        for (int i = 0; i < pairs; i++) {
            values[10 * i] = 1_000;
            values[10 * i + 1] = 1_000;
        }
        for (int i = 0; i < 39 - 2 * pairs; i++) {
            values[80 + 8 * i] = 1_000;
        }
        assertThat(percentile(LongStream.of(values), 90).independent()).isEqualTo(independent);
    }

    /// No value in this series is independent of its neighbour, however few are left.
    @Test
    void values_that_grow_all_the_time_leave_a_few() {
        assertThat(percentile(LongStream.range(0, 1_000), 50).independent()).isEqualTo(16);
    }

    @Test
    void values_that_are_all_alike_have_a_sure_percentile() {
        assertThat(percentile(LongStream.generate(() -> 7).limit(1_000), 99))
                .satisfies(interval -> assertThat(interval.low()).isEqualTo(7))
                .satisfies(interval -> assertThat(interval.high()).isEqualTo(7))
                .satisfies(interval -> assertThat(interval.independent()).isEqualTo(1_000));
    }

    private static OrderStatistics.Interval percentile(LongStream values, double percentile) {
        return OrderStatistics.percentile(new Thinned(1, values.toArray()), percentile);
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
