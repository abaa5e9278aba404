package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.HoldSpec;

class MessageTimesTest {
    private static final long MILLI = 1_000_000;
    private static final long NOW = -5_000 * MILLI;
    private static final int MESSAGES = 10_000;

    private static MessageTimes times(int intervalMillis, int jitterMillis) {
        return new MessageTimes(
                new HoldSpec(
                        "127.0.0.1",
                        1,
                        1,
                        1,
                        1,
                        new HoldSpec.Messages(
                                HoldSpec.Kind.ECHO,
                                Duration.ofMillis(intervalMillis),
                                Duration.ofMillis(jitterMillis),
                                8,
                                Duration.ofSeconds(10)),
                        new HoldSpec.Opening(0, 128, Duration.ofSeconds(3)),
                        Duration.ZERO,
                        HoldSpec.OnError.COUNT,
                        Duration.ofSeconds(1)),
                42);
    }

    @Test
    void second_messages_are_spread_over_the_whole_interval() {
        MessageTimes times = times(1_000, 0);
        int[] tenths = new int[10];
        for (long message = 0; message < MESSAGES; message++) {
            long after = times.afterFirst(NOW, message << 32) - NOW;
            assertThat(after).isBetween(10 * MILLI, 1_000 * MILLI - 1);
            tenths[(int) (after / (100 * MILLI))]++;
        }
        assertThat(IntStream.of(tenths).min().orElseThrow()).isGreaterThan(MESSAGES / 20);
    }

    @Test
    void intervals_differ_by_the_jitter_at_most_and_their_mean_is_correct() {
        MessageTimes times = times(1_000, 200);
        double sum = 0;
        for (long message = 0; message < MESSAGES; message++) {
            long after = times.after(NOW, 0, message) - NOW;
            assertThat(after).isBetween(800 * MILLI, 1_200 * MILLI);
            sum += after;
        }
        assertThat(sum / MESSAGES / MILLI).isBetween(990.0, 1_010.0);
    }

    @Test
    void only_a_large_delay_of_a_message_delays_the_next_one() {
        MessageTimes times = times(1_000, 0);
        assertThat(times.after(NOW, 3 * MILLI, 1) - NOW).isEqualTo(997 * MILLI);
        assertThat(times.after(NOW, 5_000 * MILLI, 1) - NOW).isEqualTo(500 * MILLI);
    }

    /// The wheel never removes a connection, so it must never wake one too late.
    @Test
    void a_connection_is_checked_before_each_of_its_deadlines() {
        MessageTimes times = times(60_000, 0);
        for (long message = 0; message < MESSAGES; message++) {
            long first = message << 32;
            assertThat(times.lookWhileOpening(NOW, NOW, first))
                    .isLessThanOrEqualTo(times.afterFirst(NOW, first))
                    .isLessThanOrEqualTo(times.connectDeadline(NOW));
        }
        assertThat(times.lookWhileAsking(NOW, NOW, times.after(NOW, 0, 1)))
                .isEqualTo(times.deadline(NOW));
    }

    @Test
    void a_message_without_an_answer_is_checked_before_the_next_one_is_due() {
        MessageTimes times = times(1_000, 100);
        long sent = NOW - 3_000 * MILLI;
        long look = times.lookWhileAsking(NOW, sent, times.after(sent, 0, 7));
        for (long message = 0; message < MESSAGES; message++) {
            assertThat(look).isLessThanOrEqualTo(times.after(NOW, 2_000 * MILLI, message));
        }
        assertThat(look).isGreaterThan(NOW);
    }
}
