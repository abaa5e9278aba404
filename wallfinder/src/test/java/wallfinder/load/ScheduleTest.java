package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import wallfinder.experiment.Arrival;

/// Uses a clock that the test sets.
class ScheduleTest {
    private static final long MILLI = 1_000_000L;
    private static final long START = 77 * MILLI;

    private static Schedule started(double perSecond) {
        Schedule schedule = new Schedule(Pacer.of(new Arrival.Rate(perSecond), 0, 1));
        schedule.start(START);
        return schedule;
    }

    @Test
    void nothing_is_due_before_the_start_and_after_the_stop() {
        Schedule schedule = new Schedule(Pacer.of(new Arrival.Rate(1_000), 0, 1));
        assertThat(schedule.due(Long.MAX_VALUE - 1)).isFalse();
        assertThat(schedule.more()).isFalse();
        schedule.start(START);
        assertThat(schedule.due(START - 1)).isFalse();
        assertThat(schedule.take()).isEqualTo(START);
        schedule.stop(START + 2 * MILLI);
        assertThat(schedule.take()).isEqualTo(START + MILLI);
        assertThat(schedule.take()).isEqualTo(START + 2 * MILLI);
        assertThat(schedule.more()).isFalse();
        assertThat(schedule.due(START + 100 * MILLI)).isFalse();
    }

    @Test
    void due_requests_that_are_not_taken_wait() {
        Schedule schedule = started(1_000);
        assertThat(schedule.waiting(START + 10 * MILLI)).isEqualTo(11);
        schedule.take();
        schedule.take();
        assertThat(schedule.waiting(START + 10 * MILLI)).isEqualTo(9);
        schedule.stop(START + 4 * MILLI);
        assertThat(schedule.waiting(START + 10 * MILLI)).isEqualTo(3);
    }

    /// One connection, 0.4 ms per answer, but none for 200 ms in every 2 s. Arithmetic gives the
    /// response times of requests due each millisecond.
    @Test
    void a_stalling_server_appears_exactly_in_the_response_times() {
        Schedule schedule = started(1_000);
        schedule.stop(START + 10_000 * MILLI - 1);
        Histogram response = Tally.histogram();
        Histogram service = Tally.histogram();
        long now = START;
        while (schedule.more()) {
            now = Math.max(now, schedule.nextNanos());
            long due = schedule.take();
            long sent = now;
            now = answer(sent - START) + START;
            response.recordValue(now - due);
            service.recordValue(now - sent);
        }
        long[] expected = expected();
        assertThat(response.getTotalCount()).isEqualTo(expected.length).isEqualTo(10_000);
        for (int hundredths : new int[] {50_00, 90_00, 99_00, 99_90, 99_99, 100_00}) {
            int rank = (hundredths * expected.length + 9_999) / 10_000;
            assertThat(response.getValueAtPercentile(hundredths / 100.0))
                    .as("rank %d", rank)
                    .isEqualTo(response.highestEquivalentValue(expected[rank - 1]));
        }
        assertThat(service.getValueAtPercentile(99)).isLessThan(MILLI);
        assertThat(response.getValueAtPercentile(99)).isGreaterThan(150 * MILLI);
    }

    /// When the server has answered a request that arrived at a time since the start.
    private static long answer(long nanos) {
        long stallEnd = nanos / (2_000 * MILLI) * (2_000 * MILLI) + 200 * MILLI;
        return Math.max(nanos, stallEnd) + 400_000;
    }

    /// A stall of 200 ms delays 200 requests, which are then answered every 0.4 ms, while new ones
    /// arrive every 1 ms.
    private static long[] expected() {
        long[] times =
                LongStream.range(0, 10_000)
                        .map(number -> {
                            long inPeriod = number % 2_000;
                            long backlog = 200 * MILLI + (inPeriod + 1) * 400_000;
                            return Math.max(400_000, backlog - inPeriod * MILLI);
                        })
                        .toArray();
        Arrays.sort(times);
        return times;
    }
}
