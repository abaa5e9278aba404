package wallfinder.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import wallfinder.observation.CgroupFigure;
import wallfinder.observation.End;
import wallfinder.observation.KernelCounter;
import wallfinder.observation.Key;
import wallfinder.observation.LoadFigure;
import wallfinder.observation.Observation;

/// Eleven samples, one second apart.
class HarmTimingTest {
    private static final double[] EARLY = {0, 5, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    private static final double[] LATE = {0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 9};
    private static final double[] NEVER = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    private static final double[] UNREAD = {Double.NaN, 0, Double.NaN, 5, 5, 5, 5, 5, 5, 5, 5};

    private static final Key COUNTER = new KernelCounter("x");

    private static boolean together(double[] counter, Recorded seen, Harm harm, long lagNanos) {
        Observation observation =
                seen.everySecond().put(COUNTER, End.SERVER, counter).observation();
        return HarmTiming.together(
                observation,
                observation.timeline().find(COUNTER, End.SERVER).orElseThrow(),
                harm,
                lagNanos);
    }

    private static Recorded failing(double[] errors) {
        return Recorded.healthy().put(LoadFigure.ERRORS, End.CLIENT, errors);
    }

    /// A hundred answers a second, with this response time in each second; none where it is 0.
    private static Recorded answering(double... micros) {
        double[] requests = new double[micros.length + 1];
        double[] sums = new double[micros.length + 1];
        for (int i = 0; i < micros.length; i++) {
            requests[i + 1] = requests[i] + (micros[i] > 0 ? 100 : 0);
            sums[i + 1] = sums[i] + 100 * micros[i];
        }
        return Recorded.healthy()
                .put(LoadFigure.REQUESTS, End.CLIENT, requests)
                .put(LoadFigure.RESPONSE_MICROS_SUM, End.CLIENT, sums);
    }

    @Test
    void errors_belong_to_a_counter_that_moved_with_them_or_shortly_before() {
        assertThat(together(LATE, failing(LATE), Harm.ERRORS, HarmTiming.STOPPED_NANOS)).isTrue();
        assertThat(together(EARLY, failing(EARLY), Harm.ERRORS, HarmTiming.STOPPED_NANOS)).isTrue();
        assertThat(together(EARLY, failing(LATE), Harm.ERRORS, HarmTiming.STOPPED_NANOS)).isFalse();
        assertThat(together(LATE, failing(EARLY), Harm.ERRORS, HarmTiming.REPEATED_NANOS))
                .isFalse();
    }

    @Test
    void the_kernel_repeats_what_was_dropped_after_seconds() {
        assertThat(together(EARLY, failing(LATE), Harm.ERRORS, HarmTiming.REPEATED_NANOS)).isTrue();
    }

    @Test
    void a_counter_that_did_not_move_explains_nothing() {
        assertThat(together(NEVER, failing(LATE), Harm.ERRORS, HarmTiming.REPEATED_NANOS))
                .isFalse();
    }

    @Test
    void samples_that_were_not_read_are_passed_over() {
        double[] errors = {0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9};
        assertThat(together(UNREAD, failing(errors), Harm.ERRORS, HarmTiming.STOPPED_NANOS))
                .isTrue();
    }

    @Test
    void slow_seconds_belong_to_a_counter_that_moved_in_them() {
        Recorded slowAtTheEnd = answering(10, 10, 11, 9, 10, 10, 10, 10, 50, 50);
        assertThat(together(LATE, slowAtTheEnd, Harm.LATENCY, HarmTiming.STOPPED_NANOS)).isTrue();
        assertThat(together(EARLY, slowAtTheEnd, Harm.LATENCY, HarmTiming.STOPPED_NANOS)).isFalse();
    }

    @Test
    void harm_of_a_load_that_is_always_slow_has_no_date() {
        Recorded alike = answering(50, 50, 51, 49, 50, 50, 50, 50, 52, 50);
        assertThat(together(EARLY, alike, Harm.THROUGHPUT, HarmTiming.STOPPED_NANOS)).isTrue();
    }

    @Test
    void connections_that_wait_for_ever_are_no_errors_with_a_date() {
        assertThat(together(EARLY, failing(NEVER), Harm.ERRORS, HarmTiming.STOPPED_NANOS)).isTrue();
    }

    @Test
    void seconds_without_an_answer_are_no_quick_ones() {
        Recorded seldom = answering(0, 0, 0, 0, 10, 10, 0, 10, 0, 500);
        assertThat(together(EARLY, seldom, Harm.LATENCY, HarmTiming.STOPPED_NANOS)).isFalse();
        assertThat(together(LATE, seldom, Harm.LATENCY, HarmTiming.STOPPED_NANOS)).isTrue();
    }

    @Test
    void three_seconds_with_answers_are_too_few_to_call_one_of_them_slow() {
        Recorded few = answering(0, 0, 0, 0, 10, 10, 0, 0, 0, 500);
        assertThat(together(EARLY, few, Harm.LATENCY, HarmTiming.STOPPED_NANOS)).isTrue();
    }

    @Test
    void a_second_that_takes_twice_as_long_as_usual_is_slow() {
        Recorded twice = answering(10, 10, 10, 10, 10, 10, 10, 10, 10, 20);
        assertThat(together(EARLY, twice, Harm.LATENCY, HarmTiming.STOPPED_NANOS)).isFalse();
        Recorded less = answering(10, 10, 10, 10, 10, 10, 10, 10, 10, 19);
        assertThat(together(EARLY, less, Harm.LATENCY, HarmTiming.STOPPED_NANOS)).isTrue();
    }

    @Test
    void half_of_the_errors_is_enough() {
        double[] errors = {0, 9, 9, 9, 9, 9, 9, 9, 9, 18, 18};
        assertThat(together(LATE, failing(errors), Harm.ERRORS, HarmTiming.STOPPED_NANOS)).isTrue();
        double[] more = {0, 10, 10, 10, 10, 10, 10, 10, 10, 19, 19};
        assertThat(together(LATE, failing(more), Harm.ERRORS, HarmTiming.STOPPED_NANOS)).isFalse();
    }

    @Test
    void harm_of_an_unseen_load_has_no_date() {
        assertThat(together(EARLY, Recorded.healthy(), Harm.ERRORS, HarmTiming.STOPPED_NANOS))
                .isTrue();
        assertThat(together(EARLY, Recorded.healthy(), Harm.LATENCY, HarmTiming.STOPPED_NANOS))
                .isTrue();
    }

    @Test
    void a_quota_that_stopped_the_service_in_other_seconds_is_only_near() {
        double[] periods = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
        double[] early = {0, 10, 20, 20, 20, 20, 20, 20, 20, 20, 20};
        double[] late = {0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 20};
        assertThat(throttled(periods, early).wallId()).isNotEqualTo(Optional.of("cpu-quota"));
        assertThat(throttled(periods, late).wallId()).contains("cpu-quota");
    }

    private static Diagnosis throttled(double[] periods, double[] throttled) {
        return answering(10, 10, 11, 9, 10, 10, 10, 10, 500, 500)
                .everySecond()
                .responseMillis(10, 8_000)
                .alsoResponseMillis(500, 2_000)
                .put(CgroupFigure.PERIODS.of("users"), End.SERVER, periods)
                .put(CgroupFigure.THROTTLED_PERIODS.of("users"), End.SERVER, throttled)
                .diagnosed();
    }
}
