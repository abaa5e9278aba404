package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import org.junit.jupiter.api.Test;

class WeightedRoundRobinTest {
    @Test
    void a_round_is_as_short_as_possible_and_evenly_spread() {
        assertThat(WeightedRoundRobin.round(new int[] {7})).containsExactly(0);
        assertThat(WeightedRoundRobin.round(new int[] {2, 2, 2})).containsExactly(0, 1, 2);
        assertThat(WeightedRoundRobin.round(new int[] {30, 10})).containsExactly(0, 0, 1, 0);
    }

    @Test
    void any_part_of_a_round_gives_each_its_share_within_one_turn() {
        int[] weights = {50, 23, 11, 1, 15};
        int[] round = WeightedRoundRobin.round(weights);
        assertThat(round).hasSize(100);
        int[] had = new int[weights.length];
        for (int turn = 0; turn < round.length; turn++) {
            had[round[turn]]++;
            for (int i = 0; i < weights.length; i++) {
                double due = weights[i] * (turn + 1) / 100.0;
                assertThat((double) had[i]).isCloseTo(due, offset(1.01));
            }
        }
        assertThat(had).isEqualTo(weights);
    }
}
