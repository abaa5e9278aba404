package wallfinder.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.linux.Sending;

/// Adds up the times of connections that come and go between walks over the kernel's table.
class SendersTest {
    private final Senders senders = new Senders();

    private static Sending sending(long busy, long window, long buffer, long bytes) {
        return new Sending(busy, window, buffer, 20_400, 20_000, bytes, 16_384);
    }

    @Test
    void what_was_before_the_first_walk_does_not_count() {
        senders.begin();
        senders.add(1, sending(9_000, 5_000, 2_000, 8_000));
        senders.end();
        assertThat(senders.busyMicros()).isZero();
        assertThat(senders.windowLimitedMicros()).isZero();
        assertThat(senders.mean(Senders.ROUND_TRIP)).isNaN();
    }

    @Test
    void connections_add_up_and_a_closed_one_keeps_its_time() {
        senders.begin();
        senders.add(1, sending(9_000, 5_000, 0, 8_000));
        senders.end();
        senders.begin();
        senders.add(1, sending(10_000, 5_500, 0, 4_000));
        senders.add(2, sending(300, 0, 200, 6_000));
        senders.add(3, sending(40, 0, 0, 60_000));
        senders.end();
        assertThat(senders.mean(Senders.WINDOW)).isEqualTo(5_000);
        assertThat(senders.mean(Senders.WINDOW_MAX)).isEqualTo(7_000);
        assertThat(senders.mean(Senders.BUFFER)).isEqualTo(16_384);
        senders.begin();
        senders.add(2, sending(301, 0, 200, 6_000));
        senders.end();
        assertThat(senders.busyMicros()).isEqualTo(1_341);
        assertThat(senders.windowLimitedMicros()).isEqualTo(500);
        assertThat(senders.bufferLimitedMicros()).isEqualTo(200);
        assertThat(senders.mean(Senders.WINDOW)).isNaN();
    }

    @Test
    void a_repeated_walk_counts_once() {
        senders.begin();
        senders.end();
        senders.begin();
        senders.add(1, sending(100, 50, 0, 8_000));
        senders.begin();
        senders.add(1, sending(101, 50, 0, 8_000));
        senders.end();
        assertThat(senders.busyMicros()).isEqualTo(101);
    }
}
