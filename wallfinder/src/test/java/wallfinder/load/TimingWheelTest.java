package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The test sets the time.
class TimingWheelTest {
    private static final int SLEEPERS = 500;
    private static final long MILLI = 1_000_000;
    private static final long START = -7_000 * MILLI;

    private final HeldConnections connections = new HeldConnections(SLEEPERS);
    private final TimingWheel wheel = new TimingWheel(connections, START);
    private final long[] due = new long[SLEEPERS];
    private final long[] woken = new long[SLEEPERS];
    private long now = START;

    @AfterEach
    void close() {
        connections.close();
    }

    /// A connection that wakes too early enters the wheel again.
    private void wake(int slot) {
        if (now < due[slot]) {
            wheel.put(slot, due[slot]);
        } else {
            woken[slot] = now;
        }
    }

    private void advance(long nanos) {
        now += nanos;
        wheel.turn(now, this::wake);
    }

    @Test
    void each_connection_wakes_when_it_is_due_and_not_long_after() {
        SplittableRandom random = new SplittableRandom(7);
        Arrays.fill(woken, Long.MIN_VALUE);
        for (int slot = 0; slot < SLEEPERS; slot++) {
            due[slot] = now + random.nextLong(90_000 * MILLI);
            wheel.put(slot, due[slot]);
        }
        while (now < START + 91_000 * MILLI) {
            advance(1 + random.nextLong(MILLI));
        }
        for (int slot = 0; slot < SLEEPERS; slot++) {
            assertThat(woken[slot] - due[slot]).isBetween(0L, MILLI + MILLI / 4);
            assertThat(wheel.holds(slot)).isFalse();
        }
    }

    @Test
    void a_thread_that_waits_as_long_as_allowed_misses_nothing() {
        SplittableRandom random = new SplittableRandom(8);
        Arrays.fill(woken, Long.MIN_VALUE);
        for (int slot = 0; slot < 20; slot++) {
            due[slot] = now + random.nextLong(10_000 * MILLI);
            wheel.put(slot, due[slot]);
        }
        int waits = 0;
        while (now < START + 11_000 * MILLI) {
            advance(Math.max(1, wheel.waitNanos(now)));
            waits++;
        }
        for (int slot = 0; slot < 20; slot++) {
            assertThat(woken[slot] - due[slot]).isBetween(0L, MILLI / 4);
        }
        assertThat(waits).isLessThan(200);
    }

    @Test
    void an_overdue_connection_wakes_at_the_next_turn() {
        due[0] = now - 5 * MILLI;
        wheel.put(0, due[0]);
        advance(wheel.waitNanos(now));
        assertThat(woken[0]).isEqualTo(now);
    }

    @Test
    void a_connection_cannot_be_in_two_lists() {
        wheel.put(3, now + MILLI);
        assertThatThrownBy(() -> wheel.put(3, now + MILLI))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void after_a_long_pause_all_due_connections_wake() {
        for (int slot = 0; slot < SLEEPERS; slot++) {
            due[slot] = now + slot * 100 * MILLI;
            wheel.put(slot, due[slot]);
        }
        advance(60_000 * MILLI);
        assertThat(woken).doesNotContain(0L);
    }
}
