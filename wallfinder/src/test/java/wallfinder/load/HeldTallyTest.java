package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.HoldSpec;

class HeldTallyTest {
    private final Tally tally = new Tally(3);
    private final HeldTally held = new HeldTally(tally, 3);

    private void answered(long millis) {
        held.answered(false, TimeUnit.MILLISECONDS.toNanos(millis), 0);
        tally.late(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void settle() {
        HoldSpec.Opening plan = new HoldSpec.Opening(0, 1, Duration.ofSeconds(1));
        held.settle(new ConnectionOpening(plan, 0, 1, () -> 0));
    }

    /// A service is slower while it accepts connections.
    @Test
    void messages_while_connections_are_being_opened_have_no_response_time() {
        answered(500);
        settle();
        answered(2);
        settle();
        held.leaveOutOpening();
        held.leaveOutOpening();
        assertThat(tally.answered).isEqualTo(2);
        assertThat(tally.responseNanos.getTotalCount()).isEqualTo(1);
        assertThat(tally.responseNanos.getMaxValue()).isLessThan(3_000_000);
        assertThat(tally.serviceNanos.getTotalCount()).isEqualTo(1);
        assertThat(tally.lateNanos.getMaxValue()).isLessThan(3_000_000);
    }

    @Test
    void if_not_all_connections_could_be_opened_all_messages_count() {
        answered(500);
        held.leaveOutOpening();
        assertThat(tally.responseNanos.getTotalCount()).isEqualTo(1);
    }
}
