package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourcePlanTest {
    @Test
    void every_pair_is_used_once_before_any_is_reused() {
        SourcePlan plan = new SourcePlan(3, 15_000, 15_099, -1, 0, 1);
        int[] first = IntStream.range(0, 300).map(_ -> plan.next()).toArray();
        int[] second = IntStream.range(0, 300).map(_ -> plan.next()).toArray();
        assertThat(IntStream.of(first).distinct()).hasSize(300);
        assertThat(second).isEqualTo(first);
        assertThat(IntStream.of(first).boxed())
                .allMatch(p -> SourcePlan.port(p) >= 15_000 && SourcePlan.port(p) < 15_100);
    }

    @Test
    void successive_connections_have_different_addresses() {
        SourcePlan plan = new SourcePlan(2, 1000, 1999, -1, 0, 1);
        assertThat(SourcePlan.address(plan.next())).isNotEqualTo(SourcePlan.address(plan.next()));
    }

    @Test
    void the_target_itself_is_never_a_source() {
        SourcePlan plan = new SourcePlan(2, 8078, 8082, 1, 8080, 1);
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            seen.add(plan.next());
        }
        assertThat(seen).hasSize(9).doesNotContain(1 << 16 | 8080).contains(8080);
    }

    @Test
    void several_destinations_use_each_pair_in_turn() {
        SourcePlan plan = new SourcePlan(1, 8081, 8084, 0, 8080, 3);
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < plan.size(); i++) {
            seen.add(SourcePlan.port(plan.next()) + " to " + (8080 + plan.destination));
        }
        assertThat(plan.size()).isEqualTo(12);
        assertThat(seen).hasSize(10).contains("8084 to 8082").doesNotContain("8081 to 8081");
    }

    @Test
    void the_target_as_the_only_source_is_rejected() {
        assertThat(new SourcePlan(1, 8080, 8080, 0, 8080, 1).next()).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({"1000,1999,3", "1,65535,7", "5,8,4", "15000,64000,2"})
    void threads_share_a_range_without_overlap_or_gap(int min, int max, int threads) {
        int next = min;
        for (int thread = 0; thread < threads; thread++) {
            int[] share = SourcePlan.share(min, max, thread, threads);
            assertThat(share[0]).isEqualTo(next);
            next = share[1] + 1;
        }
        assertThat(next).isEqualTo(max + 1);
    }
}
