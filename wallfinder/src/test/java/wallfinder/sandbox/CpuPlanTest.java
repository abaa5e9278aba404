package wallfinder.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import wallfinder.experiment.UsageException;

class CpuPlanTest {
    @Test
    void a_list_of_cpus_is_read_and_written() {
        assertThat(CpuPlan.text(CpuPlan.parse("0-2, 5"))).isEqualTo("0,1,2,5");
        for (String wrong : new String[] {"", "a", "2-1", "1-2-3", "-1", "0,,1", "0-99999999"}) {
            assertThatThrownBy(() -> CpuPlan.parse(wrong)).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void the_client_gets_the_last_cpus_and_the_server_keeps_one() {
        CpuPlan plan = CpuPlan.split(CpuPlan.parse("0-7"), 2);
        assertThat(CpuPlan.text(plan.server())).isEqualTo("0,1,2,3,4,5");
        assertThat(CpuPlan.text(plan.client())).isEqualTo("6,7");
        assertThat(CpuPlan.text(CpuPlan.split(CpuPlan.parse("0-1"), 8).server())).isEqualTo("0");
        assertThat(CpuPlan.text(CpuPlan.split(CpuPlan.parse("3"), 1).client())).isEqualTo("3");
    }
}
