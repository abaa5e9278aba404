package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import wallfinder.observation.Thinned;

class ThinnedTimesTest {
    /// The n-th answer takes n.
    private static ThinnedTimes counted(int count) {
        ThinnedTimes times = new ThinnedTimes();
        for (int i = 0; i < count; i++) {
            times.add(10L * i, i);
        }
        return times;
    }

    @Test
    void as_many_as_fit_are_all_kept() {
        Thinned all = ThinnedTimes.merged(List.of(counted(ThinnedTimes.TIMES_MAX)));
        assertThat(all.stride()).isEqualTo(1);
        assertThat(all.values()).isEqualTo(LongStream.range(0, ThinnedTimes.TIMES_MAX).toArray());
    }

    @Test
    void beyond_that_every_n_th_is_kept_from_the_first_on() {
        int count = 5 * ThinnedTimes.TIMES_MAX;
        Thinned some = ThinnedTimes.merged(List.of(counted(count)));
        assertThat(some.stride()).isEqualTo(8);
        assertThat(some.values())
                .isEqualTo(LongStream.iterate(0, i -> i < count, i -> i + 8).toArray());
    }

    @Test
    void the_times_of_two_threads_are_in_their_order_with_the_larger_stride() {
        ThinnedTimes few = new ThinnedTimes();
        for (int i = 0; i < 4; i++) {
            few.add(10L * i + 5, -i - 1);
        }
        Thinned both = ThinnedTimes.merged(List.of(counted(ThinnedTimes.TIMES_MAX + 1), few));
        assertThat(both.stride()).isEqualTo(2);
        assertThat(both.values()).startsWith(0, -1, 2, -3, 4);
    }

    @Test
    void a_new_measurement_begins_again() {
        ThinnedTimes times = counted(2 * ThinnedTimes.TIMES_MAX);
        times.reset();
        times.add(1, 7);
        assertThat(ThinnedTimes.merged(List.of(times)).values()).containsExactly(7);
        assertThat(ThinnedTimes.merged(List.of()).values()).isEmpty();
    }
}
