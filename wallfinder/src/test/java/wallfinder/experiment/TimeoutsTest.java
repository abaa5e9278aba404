package wallfinder.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeoutsTest {
    /// The histograms hold no longer times.
    @Test
    void a_time_out_above_ten_minutes_is_refused() {
        Duration most = Duration.ofMinutes(10);
        assertThat(Timeouts.whole(most).whole()).isEqualTo(most);
        assertThatThrownBy(() -> Timeouts.whole(most.plusSeconds(1)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("601 s");
    }
}
