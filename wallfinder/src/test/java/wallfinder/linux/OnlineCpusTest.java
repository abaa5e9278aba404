package wallfinder.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class OnlineCpusTest {
    private static final BitSet MASK = CpuList.parse("4-127");

    @Test
    void cpus_of_a_mask_that_are_offline_do_not_count() {
        assertThat(OnlineCpus.among(MASK, CpuList.parse("0-3,5,7-8")))
                .isEqualTo(CpuList.parse("5,7,8"));
        assertThat(MASK).isEqualTo(CpuList.parse("4-127"));
    }

    @Test
    void the_whole_mask_counts_where_the_host_does_not_show_its_online_cpus() {
        assertThat(OnlineCpus.among(MASK, new BitSet())).isEqualTo(MASK);
        assertThat(OnlineCpus.among(MASK, CpuList.parse("0-1"))).isEqualTo(MASK);
    }

    @Test
    void this_host_shows_its_online_cpus() {
        assertThat(OnlineCpus.read().isEmpty()).isFalse();
    }
}
