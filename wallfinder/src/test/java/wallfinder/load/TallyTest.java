package wallfinder.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import wallfinder.experiment.Expectation;
import wallfinder.observation.ErrorKind;
import wallfinder.observation.ErrorPhase;
import wallfinder.observation.Outside;

class TallyTest {
    private static final long MILLIS = 1_000_000;
    private static final long MARK = 10_000 * MILLIS;

    private final Tally tally = new Tally(null, Expectation.DEFAULT);

    private long connected(long begunMillis, long nowMillis) {
        tally.mark(MARK);
        tally.connected(begunMillis * MILLIS, nowMillis * MILLIS);
        return tally.connectNanos.getTotalCount() == 0
                ? -1
                : tally.connectNanos.getMaxValue() / MILLIS;
    }

    @Test
    void failures_by_kind_are_never_reset() {
        tally.failed(ErrorKind.RESET, ErrorPhase.CONNECT, MILLIS);
        tally.mark(MARK);
        tally.failed(ErrorKind.RESET, ErrorPhase.CONNECT, MILLIS);
        assertThat(tally.errors(ErrorKind.RESET)).isEqualTo(1);
        assertThat(tally.failures(ErrorKind.RESET)).isEqualTo(2);
        assertThat(tally.failures(ErrorKind.CLOSED)).isZero();
    }

    @Test
    void the_parts_of_answers_before_the_mark_and_after_the_stop_are_known() {
        tally.mark(MARK);
        tally.stop(MARK + 2_000 * MILLIS);
        tally.outside(MARK + 1_500 * MILLIS, MARK + 3_500 * MILLIS, Tally.GOOD_ONES);
        tally.outside(MARK - 1_000 * MILLIS, MARK + 1_000 * MILLIS, Tally.BAD_ONES);
        tally.outside(MARK - 1_000 * MILLIS, MARK + 3_000 * MILLIS, Tally.BAD_ONES);
        assertThat(tally.partsOutside())
                .isEqualTo(new Outside(0.75, 0.5 + 0.5, (1_500 + 1_000 + 2_000) * MILLIS));
        assertThat(tally.after()).isEqualTo(new Outside(1, 1, 0));
    }

    @Test
    void a_connect_that_began_after_the_mark_counts_in_full() {
        assertThat(connected(10_000, 10_003)).isEqualTo(3);
    }

    @Test
    void a_connect_from_before_the_mark_does_not_count_if_its_drops_may_be_older() {
        // Its SYN was repeated 1 s after it began, and succeeded.
        assertThat(connected(9_500, 10_500)).isEqualTo(-1);
        assertThat(connected(9_990, 10_990)).isEqualTo(-1);
        // Its SYN was repeated after 1, 3 and 7 s, the last time after the mark.
        assertThat(connected(6_500, 13_500)).isEqualTo(-1);
    }

    /// All connections of a load without a warm-up begin just before the mark. Those whose
    /// handshakes are dropped wait for the whole measurement.
    @Test
    void a_connect_that_waits_for_most_of_the_measurement_counts_from_the_mark() {
        assertThat(connected(9_998, 15_180)).isBetween(5_170L, 5_190L);
    }
}
