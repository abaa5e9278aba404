package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VariablesTest {
    /// A service with a cache would be faster than it is, if a load repeated the warm-up's numbers.
    @Test
    void no_thread_and_no_later_load_repeats_the_random_numbers_of_another() {
        Variables variables = new Variables();
        Set<Long> states = new HashSet<>();
        for (int thread = 0; thread < 8; thread++) {
            long state = variables.seed();
            for (int turn = 0; turn < 10_000; turn++) {
                state += SplitMix64.GOLDEN;
                assertThat(states.add(state)).isTrue();
            }
        }
    }

    @Test
    void a_repeated_run_has_the_same_numbers() {
        assertThat(new Variables().seed()).isEqualTo(new Variables().seed());
    }

    @Test
    void several_processes_count_together_without_a_gap() {
        Variables first = new Variables(new Share(0, 2));
        Variables second = new Variables(new Share(1, 2));
        assertThat(new long[] {first.count(), second.count(), first.count(), second.count()})
                .containsExactly(1, 2, 3, 4);
    }
}
